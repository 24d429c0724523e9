import type { ConversionOptions } from './conversion.ts'
import type { StoreFormat, SupportedFormats } from './storeFormat.ts'

/** The kind that a store or file was found to be. */
export interface FoundStore {
  readonly format: StoreFormat
  /** Bytes of disk that its conversion takes. */
  readonly spaceBytes: number
}

/** A store or file of a data directory whose format may be an older one. */
export interface DataDirStore {
  readonly supported: SupportedFormats
  /** Its present kind; null where there is none. Writes nothing. */
  find(): Promise<FoundStore | null>
  /** Brings it to the present format, or goes on with that. */
  convert(options: ConversionOptions): Promise<void>
}
