import { isUndecodable } from '../chain/codec/errors.ts'
import { storeFolders } from '../execution/chainFolders.ts'
import { NativeError } from '../native/errors.ts'
import { RpcError } from '../rpc/errors.ts'
import { AccessError, type AccessErrorCode } from '../storage/access/errors.ts'
import { StorageError, type StorageErrorCode } from '../storage/errors.ts'
import { storeFile } from '../storage/storeFile.ts'
import { isMisplaced, toUnwritable } from '../storage/unwritable.ts'
import { CodedError } from '../util/codedError.ts'
import { describeFileLimit } from '../util/fileLimit.ts'

/** Reason why a node does not start or has ended. */
export type NodeErrorCode =
  /** Another process writes the data directory. */
  | 'DATA_DIR_LOCKED'
  /** The data directory holds the chain of another network or under other activation heights. */
  | 'DATA_DIR_NETWORK'
  /** A store or file has a format that this build cannot use as it is. */
  | 'DATA_DIR_FORMAT'
  /** There is no chain in it, and the command makes none. */
  | 'DATA_DIR_ABSENT'
  /** A snapshot is not wholly restored into it. */
  | 'DATA_DIR_UNFINISHED'
  /** Something that must be in the data directory is not. */
  | 'DATA_DIR_CORRUPT'
  /** The data directory takes no writes: the disk is full, or fails. */
  | 'DATA_DIR_UNWRITABLE'
  /** The data directory cannot be made, read or written. */
  | 'DATA_DIR_UNUSABLE'
  /** The system gives the process less than a node needs: file descriptors or address space. */
  | 'SYSTEM_LIMIT'
  /** Whoever reaches the machine could control the node. */
  | 'EXPOSED'
  /** The file of API keys cannot be used. */
  | 'KEYS_FILE'
  /** The access store cannot be used. */
  | 'ACCESS_STORE'
  /** The access store is not what was written. */
  | 'ACCESS_DAMAGED'
  /** The chain thread failed: a fault of this program. */
  | 'CHAIN_THREAD'
  /** The peer thread failed: a fault of this program. */
  | 'PEER_THREAD'
  /** Options of peers that cannot be used, a port that is taken or a node key that cannot be read. */
  | 'PEERS'
  /** The fleet thread failed: a fault of this program. */
  | 'FLEET_THREAD'
  /** The network of a fork does not give what is needed, or the data directory holds another chain. */
  | 'FORK'
  /** The folder of contracts that is named is none. */
  | 'PROJECT'

/** A {@link NodeError} as plain data, for messages between threads. */
export interface NodeErrorMetadata {
  readonly code: NodeErrorCode
  readonly message: string
}

/** A node that cannot start or go on. The message says what to do. */
export class NodeError extends CodedError<NodeErrorCode> {
  override readonly name = 'NodeError'

  /** True when something stored is lost or not what was written. */
  get isDamage(): boolean {
    return this.code === 'DATA_DIR_CORRUPT' || this.code === 'ACCESS_DAMAGED'
  }

  /** True when this build cannot use what is stored as it is, which is whole. */
  get isFormat(): boolean {
    return this.code === 'DATA_DIR_FORMAT'
  }

  toObject(): NodeErrorMetadata {
    return { code: this.code, message: this.message }
  }

  static fromObject({ code, message }: NodeErrorMetadata): NodeError {
    return new NodeError(code, message)
  }
}

/** The advice where something stored is lost. */
const RESTORE_ADVICE =
  'run `rhizome check` to see what; move the data directory away and fill a new one from a snapshot (`rhizome snapshot restore`, or ' +
  '`rhizome start --bootstrap`), from a copy of your own, or by importing the chain again'

/** The text of LMDB, or of the native core, for a file that is not what it wrote. */
const DAMAGED_FILE =
  /MDB_(BAD_CHECKSUM|BAD_DBI|BAD_TXN|BAD_VALSIZE|CORRUPTED|CURSOR_FULL|DBS_FULL|INCOMPATIBLE|INVALID|PAGE_FULL|PAGE_NOTFOUND|PANIC|PROBLEM|VERSION_MISMATCH)|the log of nodes is not whole/
/** The error codes of the native core for states that are not whole. */
const DAMAGED_STATE: ReadonlySet<string> = new Set(['MissingState', 'CorruptState'])

/** `{}` stands for the data directory. */
const STORAGE_ADVICE: Readonly<Record<StorageErrorCode, { code: NodeErrorCode; advice: string }>> = {
  STORAGE_LOCKED: {
    code: 'DATA_DIR_LOCKED',
    advice: 'stop the other node, or give this one another --data-dir',
  },
  STORAGE_NETWORK: {
    code: 'DATA_DIR_NETWORK',
    advice:
      'give each network a --data-dir of its own, or start with the --network and the --activation-heights that it ' +
      'was made with',
  },
  STORAGE_FORMAT: {
    code: 'DATA_DIR_FORMAT',
    advice: 'use the version that wrote it, or start with a new --data-dir and import the chain again',
  },
  STORAGE_OLDER: {
    code: 'DATA_DIR_FORMAT',
    advice: 'convert the directory with `rhizome migrate --data-dir {}`; `rhizome start` does it by itself',
  },
  STORAGE_NEWER: {
    code: 'DATA_DIR_FORMAT',
    advice: 'run a newer build',
  },
  STORAGE_UNFINISHED: {
    code: 'DATA_DIR_UNFINISHED',
    advice: 'the node starts when that is done',
  },
  STORAGE_NOT_KEPT: {
    code: 'DATA_DIR_CORRUPT',
    advice: 'restore a newer snapshot into a new --data-dir',
  },
  STORAGE_ABSENT: {
    code: 'DATA_DIR_ABSENT',
    advice: 'look at --data-dir and --network',
  },
  STORAGE_UNWRITABLE: {
    code: 'DATA_DIR_UNWRITABLE',
    advice: 'make room and start again; what is stored is whole',
  },
  STORAGE_JOURNAL: {
    code: 'DATA_DIR_CORRUPT',
    advice:
      'restore the file from a copy, or move it away: what only waited in it is lost then, blocks are not',
  },
  STORAGE_CORRUPT: {
    code: 'DATA_DIR_CORRUPT',
    advice: RESTORE_ADVICE,
  },
}

/** System errors that a wrong data directory causes. */
const FILE_ERRORS: ReadonlySet<string> = new Set([
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOENT',
  'ENOTDIR',
  'EEXIST',
  'ENAMETOOLONG',
  'ENOSPC',
])

/** The texts of the system where a process gets no more address space, as the core and as lmdb-js hand it on. */
const NO_ADDRESS_SPACE = /\(os error 12\)|Cannot allocate memory|ENOMEM/

/**
 * The error of a thread or store for want of something that the system limits, as one that names the limit; else null.
 */
export function toLimitError(thrown: unknown): NodeError | null {
  const files = describeFileLimit(thrown)
  if (files !== null) return new NodeError('SYSTEM_LIMIT', files, { cause: thrown })
  if (!(thrown instanceof Error)) return null
  const { message } = thrown
  if (!NO_ADDRESS_SPACE.test(message)) return null
  return new NodeError(
    'SYSTEM_LIMIT',
    `the process is not given the address space that its stores reserve (${message}): lift the limit of it ` +
      '(`ulimit -v unlimited`), or reserve less with --store-limit',
    { cause: thrown },
  )
}

/** The error of opening a data directory, as one that says what to do; anything else passes through. */
export function toNodeError(thrown: unknown, dataDir: string): unknown {
  if (thrown instanceof AccessError) return toAccessNodeError(thrown)
  const error = toStoreError(thrown, dataDir) ?? toLimitError(thrown)
  if (error !== null) return error
  const code = (thrown as { code?: unknown } | null)?.code
  const isFileError = typeof code === 'string' && FILE_ERRORS.has(code)
  if (isFileError || (thrown instanceof NativeError && thrown.code === 'Store')) {
    const { message } = thrown as Error
    return new NodeError(
      'DATA_DIR_UNUSABLE',
      `the data directory ${dataDir} cannot be used (${message}): check its owner, or give another --data-dir`,
      { cause: thrown },
    )
  }
  return thrown
}

const ACCESS_CODES: Partial<Record<AccessErrorCode, NodeErrorCode>> = {
  ACCESS_DAMAGED: 'ACCESS_DAMAGED',
  ACCESS_FORMAT: 'DATA_DIR_FORMAT',
}

/** Reason why the access store cannot be used, as a reason for which a node does not start. */
export function toAccessNodeError(error: AccessError): NodeError {
  return new NodeError(ACCESS_CODES[error.code] ?? 'ACCESS_STORE', error.message, { cause: error })
}

/**
 * What work with the stores of a data directory threw, as an error that says what to do; null when the reason is
 * not one of the stores'.
 */
export function toStoreError(thrown: unknown, dataDir: string): NodeError | null {
  const unwritable = toUnwritable(thrown)
  if (unwritable !== null && isMisplaced(unwritable, storeFolders(dataDir).map(storeFile)))
    return damagedStore(thrown, dataDir)
  if (thrown instanceof StorageError) {
    const { code, advice } = STORAGE_ADVICE[thrown.code]
    const message = `${thrown.message}: ${advice.replace('{}', () => dataDir)}`
    return new NodeError(code, message, { cause: thrown })
  }
  if (thrown instanceof NativeError && thrown.code === 'StoreFormat') {
    return new NodeError('DATA_DIR_FORMAT', thrown.message, { cause: thrown })
  }
  if (unwritable !== null) return toStoreError(unwritable, dataDir)
  return isDamage(thrown) ? damagedStore(thrown, dataDir) : null
}

function damagedStore(thrown: unknown, dataDir: string): NodeError | null {
  const message = `a store in ${dataDir} is damaged (${(thrown as Error).message})`
  return toStoreError(new StorageError('STORAGE_CORRUPT', message, { cause: thrown }), dataDir)
}

function isDamage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false
  if (isUndecodable(thrown)) return true
  // Methods, which a start uses as well, say it in words for clients.
  if (thrown instanceof RpcError) return isDamage(thrown.cause)
  return (
    DAMAGED_FILE.test(thrown.message) || (thrown instanceof NativeError && DAMAGED_STATE.has(thrown.code))
  )
}
