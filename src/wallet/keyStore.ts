import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../util/makeFolder.ts'
import { WalletError } from './errors.ts'
import { keyFileName } from './keyFileName.ts'
import { formatKeyFile, type KeyFile, parseKeyFile } from './secretStorage/web3KeyFile.ts'

/** Size above which a file is not considered a key file, bytes; key files have about 500. */
const MAX_FILE_BYTES = 64 * 1024
const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
const TEMPORARY = /^\.|~$|\.tmp$/

/** Called for files in the folder that are no key files; `reason` contains no secret. */
export type SkippedFileSink = (name: string, reason: string) => void

/** Key files in a folder, one per account, named as geth names them. */
export class KeyStore {
  readonly #folder: string
  readonly #onSkipped: SkippedFileSink
  /** Names of files by address in hex; several when a folder holds copies. */
  #names = new Map<string, string[]>()
  /** Addresses by file name, so that a scan reads new files only. Null: not a key file, already reported. */
  #scanned = new Map<string, Buffer | null>()
  #lastScan: Promise<void> = Promise.resolve()

  constructor(folder: string, onSkipped: SkippedFileSink) {
    this.#folder = folder
    this.#onSkipped = onSkipped
  }

  /** Addresses in the order of the files' names, which is that of their creation. */
  addresses(): Buffer[] {
    return [...this.#names.keys()].map((address) => Buffer.from(address, 'hex'))
  }

  has(address: Buffer): boolean {
    return this.#names.has(address.toString('hex'))
  }

  /** Rescans the folder. A missing folder holds no keys. */
  scan(): Promise<void> {
    // Sequential, so that a scan that began earlier cannot end later.
    const scan = this.#lastScan.then(() => this.#scan())
    this.#lastScan = scan.catch(() => undefined)
    return scan
  }

  /**
   * The key file of an account; null when there is none.
   * @throws WalletError `KEY_FILE` when it cannot be read
   */
  async read(address: Buffer): Promise<KeyFile | null> {
    const name = this.#names.get(address.toString('hex'))?.at(-1)
    if (name === undefined) return null
    // The index has the address, which the file itself may lack.
    return { ...(await this.#readFile(name)), address }
  }

  /** Writes a key file atomically, readable by its owner only, and removes other files of the account. */
  async write(file: KeyFile & { readonly address: Buffer }, now: number): Promise<void> {
    makeFolder(this.#folder, PRIVATE_FOLDER)
    const key = file.address.toString('hex')
    const name = keyFileName(file.address, now)
    const temporary = join(this.#folder, `.${name}.${randomBytes(4).toString('hex')}.tmp`)
    try {
      await writeDurably(temporary, formatKeyFile(file, randomUUID()))
      await rename(temporary, join(this.#folder, name))
    } catch (error) {
      await rm(temporary, { force: true })
      throw new WalletError('KEY_FILE', 'the key file could not be written', { cause: error })
    }
    await syncFolder(this.#folder)
    const replaced = (this.#names.get(key) ?? []).filter((other) => other !== name)
    for (const other of replaced) {
      await rm(join(this.#folder, other), { force: true })
      this.#scanned.delete(other)
    }
    this.#scanned.set(name, file.address)
    this.#index()
  }

  async #scan(): Promise<void> {
    const names = (await listFolder(this.#folder)).filter((name) => !TEMPORARY.test(name)).sort()
    const scanned = new Map<string, Buffer | null>()
    for (const name of names) {
      const known = this.#scanned.get(name)
      scanned.set(name, known === undefined ? await this.#addressOf(name) : known)
    }
    this.#scanned = scanned
    this.#index()
  }

  #index(): void {
    const names = new Map<string, string[]>()
    for (const [name, address] of [...this.#scanned].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (address === null) continue
      const key = address.toString('hex')
      names.set(key, [...(names.get(key) ?? []), name])
    }
    this.#names = names
  }

  async #addressOf(name: string): Promise<Buffer | null> {
    try {
      const { address } = await this.#readFile(name)
      if (address !== null) return address
      const inName = /([0-9a-fA-F]{40})(\.json)?$/.exec(name)?.[1]
      if (inName !== undefined) return Buffer.from(inName, 'hex')
      throw new WalletError('KEY_FILE', 'key file: it does not say whose key it holds')
    } catch (error) {
      if (!(error instanceof WalletError)) throw error
      this.#onSkipped(name, error.message)
      return null
    }
  }

  async #readFile(name: string): Promise<KeyFile> {
    const path = join(this.#folder, name)
    let text: string
    try {
      const found = await stat(path)
      if (!found.isFile()) throw new WalletError('KEY_FILE', 'not a file')
      if (found.size > MAX_FILE_BYTES) throw new WalletError('KEY_FILE', 'too large for a key file')
      text = await readFile(path, 'utf8')
    } catch (error) {
      if (error instanceof WalletError) throw error
      throw new WalletError('KEY_FILE', 'the key file cannot be read', { cause: error })
    }
    return parseKeyFile(text)
  }
}

async function listFolder(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw new WalletError('KEY_FILE', 'the folder of key files cannot be read', { cause: error })
  }
}

async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', PRIVATE_FILE)
  try {
    await handle.writeFile(text, 'utf8')
    await handle.sync()
  } finally {
    await handle.close()
  }
  // The umask narrows the mode of open and never widens it; this sets the exact mode.
  await chmod(path, PRIVATE_FILE)
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
