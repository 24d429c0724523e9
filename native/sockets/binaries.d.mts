/** What decides which binary of the socket library runs. */
export interface Host {
  /** `process.platform`. */
  readonly platform: string
  /** `process.arch`. */
  readonly arch: string
  /** Version of Node, without the v. */
  readonly node: string
  /** `process.versions.modules`: binaries for one number do not load under another. */
  readonly abi: string
  /** Version of glibc; null where there is none. */
  readonly glibc: string | null
}

/** An installed package with binaries. */
export interface BinaryPackage {
  readonly name: string
  readonly version: string
  /** Where its binaries may be. */
  readonly folders: readonly string[]
}

/** A binary that runs. */
export interface ChosenBinary {
  readonly name: string
  readonly version: string
  readonly file: string
  /** Whether it takes a copy that calls C23 functions by their older names. */
  readonly withoutC23Names: boolean
}

export type SocketLibraryErrorCode = 'Unsupported' | 'Unwritable'

export declare class SocketLibraryError extends Error {
  override readonly name: 'SocketLibraryError'
  readonly code: SocketLibraryErrorCode
  constructor(code: SocketLibraryErrorCode, message: string, options?: ErrorOptions)
}

export declare const SOCKET_LIBRARIES: string
export declare const BUILT_FOLDER: string
export declare function readHost(): Host
export declare function installedPackages(): BinaryPackage[]
export declare function chooseBinary(host: Host, packages: readonly BinaryPackage[]): ChosenBinary
export declare function prepareBinary(binary: ChosenBinary, built?: string): string
