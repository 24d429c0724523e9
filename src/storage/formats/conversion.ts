import { setImmediate } from 'node:timers/promises'
import { StorageError } from '../errors.ts'
import { type FormatTable, readFormat, writeFormat } from './formatTable.ts'
import { assertConvertible, isPresent, type SupportedFormats } from './storeFormat.ts'

/** Rows of a store that one batch has converted. */
export interface ConvertedBatch {
  /** Number of rows. */
  readonly rows: number
  /** Key of the last one, behind which the next batch begins; null when all are converted. */
  readonly last: Buffer | null
}

/** A change of the format of a store, from one number to the next. */
export interface ConversionStep<W> {
  readonly from: number
  readonly to: number
  /** The changes in words, for the log. */
  readonly summary: string
  /** Bytes of disk that it takes for a store whose file has this size. */
  readonly spaceBytes: (fileBytes: number) => number
  /** Rows that it goes through. */
  readonly rows: (writer: W) => number
  /** Converts the rows behind a key, the first ones for null, as many as one transaction should hold. */
  readonly convert: (writer: W, after: Buffer | null) => ConvertedBatch
}

/** A store whose format can be changed. */
export interface ConvertibleStore<W> {
  readonly supported: SupportedFormats
  /** All or nothing. */
  transaction<T>(action: (writer: W) => T): T
  /** Table in which the store keeps its format. */
  formatTable(writer: W): FormatTable
  /** Resolves when everything committed is on disk. */
  flushed(): Promise<unknown>
}

/** Progress of a conversion. */
export interface ConversionProgress {
  readonly from: number
  readonly to: number
  /** Rows done and rows in all. */
  readonly done: number
  readonly rows: number
}

export interface ConversionOptions {
  /** Called after each batch. */
  readonly onProgress?: (progress: ConversionProgress) => void
  /** Ends the conversion between two batches; another one goes on there. */
  readonly signal?: AbortSignal
}

/**
 * Brings a store to the present format, step by step and batch by batch. Each batch is a transaction that also keeps
 * where it ended, so that whatever ends the process loses nothing and the next call goes on. The store has the later
 * number from the first batch on: no older build reads what is half converted.
 * @throws StorageError `STORAGE_NEWER`, `STORAGE_FORMAT`; the signal's reason
 */
export async function convertStore<W>(
  store: ConvertibleStore<W>,
  steps: readonly ConversionStep<W>[],
  { onProgress, signal }: ConversionOptions = {},
): Promise<void> {
  for (;;) {
    signal?.throwIfAborted()
    const progress = store.transaction((writer) => convertBatch(store, steps, writer))
    if (progress === null) break
    onProgress?.(progress)
    // Signals and timers have their turn.
    await setImmediate()
  }
  await store.flushed()
}

/** Bytes of disk that the conversion of a store from a format on takes. */
export function conversionBytes<W>(
  steps: readonly ConversionStep<W>[],
  format: number,
  fileBytes: number,
): number {
  const due = steps.filter(({ to }) => to > format)
  return due.reduce((sum, { spaceBytes }) => sum + spaceBytes(fileBytes), 0)
}

function convertBatch<W>(
  store: ConvertibleStore<W>,
  steps: readonly ConversionStep<W>[],
  writer: W,
): ConversionProgress | null {
  const { supported } = store
  const table = store.formatTable(writer)
  const found = readFormat(table)
  if (found === null || isPresent(supported, found)) return null
  assertConvertible(supported, found)
  const from = found.conversion?.from ?? found.format
  const step = steps.find((candidate) => candidate.from === from)
  if (step === undefined) {
    throw new StorageError('STORAGE_FORMAT', `${supported.name} has format ${from}, which is not converted`)
  }
  const { done, rows, after } = found.conversion ?? { done: 0, rows: step.rows(writer), after: null }
  const batch = step.convert(writer, after)
  const progress = { from, to: step.to, done: done + batch.rows, rows }
  writeFormat(
    table,
    step.to,
    batch.last === null ? null : { from, done: progress.done, rows, after: batch.last },
  )
  return progress
}
