import { open, readFile, rename, stat } from 'node:fs/promises'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Logger } from '../../observe/logger.ts'
import { programVersion } from '../../util/programVersion.ts'
import { scopeOf } from './addressBlock.ts'

/** File of a data directory with known nodes. */
export const ADDRESS_BOOK = 'peers.json'
/** Format of the file. */
const FORMAT = 1
/** Most nodes written, and most bytes read. */
const MAX_NODES = 1024
const MAX_BYTES = 512 * 1024
const PRIVATE_FILE = 0o600
const ID = /^[0-9a-f]{128}$/
const MAX_PORT = 65_535

/** A node in the file. */
export interface SavedNode {
  /** 128 hex digits. */
  readonly id: string
  readonly address: string
  readonly port: number
}

/** The known nodes at the last stop, which are asked first after a restart. Nothing depends on them. */
export class AddressBook {
  readonly #path: string
  readonly #networkId: number
  readonly #logger: Logger
  #written = ''

  constructor(dataDir: string, networkId: number, logger: Logger) {
    this.#path = join(dataDir, ADDRESS_BOOK)
    this.#networkId = networkId
    this.#logger = logger
  }

  /** The nodes of the file; none where there is no file or it is of another network. A damaged one is set aside. */
  async read(): Promise<readonly SavedNode[]> {
    try {
      const { size } = await stat(this.#path)
      if (size > MAX_BYTES) throw new RangeError(`it has ${size} bytes`)
      return this.#parse(await readFile(this.#path, 'utf8'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
      await this.#setAside(error as Error)
      return []
    }
  }

  /** Writes the first nodes atomically; a failed write is ignored. */
  async write(nodes: readonly SavedNode[]): Promise<void> {
    const saved = nodes.slice(0, MAX_NODES).map(({ id, address, port }) => ({ id, address, port }))
    const text = `${JSON.stringify({ format: FORMAT, program: programVersion(), network: this.#networkId, nodes: saved })}\n`
    if (text === this.#written) return
    try {
      const file = await open(`${this.#path}.tmp`, 'w', PRIVATE_FILE)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(`${this.#path}.tmp`, this.#path)
      this.#written = text
    } catch (error) {
      this.#logger.warn({ path: this.#path, reason: (error as Error).message }, 'known peers were not saved')
    }
  }

  #parse(text: string): readonly SavedNode[] {
    const { format, network, nodes } = JSON.parse(text) as Record<string, unknown>
    if (typeof format !== 'number' || !Array.isArray(nodes)) throw new TypeError('it is of another form')
    if (format !== FORMAT) throw new RangeError(`it has format ${format}, this build reads ${FORMAT}`)
    if (network !== this.#networkId) return []
    return nodes.slice(0, MAX_NODES).filter(isSavedNode)
  }

  async #setAside(error: Error): Promise<void> {
    const { message: reason } = error
    try {
      await rename(this.#path, `${this.#path}.broken`)
      this.#logger.warn(
        { path: `${this.#path}.broken`, reason },
        'known peers cannot be read, the file is set aside',
      )
    } catch {
      this.#logger.warn({ path: this.#path, reason }, 'known peers cannot be read')
    }
  }
}

function isSavedNode(value: unknown): value is SavedNode {
  if (typeof value !== 'object' || value === null) return false
  const { id, address, port } = value as Record<string, unknown>
  if (typeof id !== 'string' || !ID.test(id) || typeof address !== 'string' || isIP(address) === 0)
    return false
  return (
    Number.isInteger(port) &&
    (port as number) >= 1 &&
    (port as number) <= MAX_PORT &&
    scopeOf(address) !== 'none'
  )
}
