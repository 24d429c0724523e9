import { ECDH } from 'node:crypto'
import { isIP } from 'node:net'
import { UNCOMPRESSED } from '../wire/curve.ts'

const ENODE = /^enode:\/\/([^@/]*)@(\[[^\]]*\]|[^:/?#[\]]*)(?::(\d{1,5}))?(?:\?discport=\d{1,5})?$/i
const ID = /^[0-9a-f]{128}$/i
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,62})(\.[a-z0-9]([a-z0-9-]{0,62}))*\.?$/i
const MAX_PORT = 65_535

/** A node in an enode URL. */
export interface EnodeAddress {
  /** Node id, 128 lower-case hex digits. */
  readonly id: string
  /** IP address, or the name of a host. */
  readonly host: string
  /** TCP and UDP alike (p2p.md §1). */
  readonly port: number
}

/** A malformed enode URL. */
export class EnodeError extends Error {
  override readonly name = 'EnodeError'
  readonly code = 'ENODE'

  constructor(text: string, reason: string) {
    super(`${text.slice(0, 300)} is no enode URL: ${reason}`)
  }
}

/**
 * Parses `enode://<128 hex digits>@host:port` (p2p.md §0); an IPv6 address stands in brackets.
 * @throws EnodeError that says what is wrong
 */
export function parseEnode(text: string): EnodeAddress {
  const parts = ENODE.exec(text.trim())
  if (parts === null) throw new EnodeError(text, 'enode://<128 hex digits>@host:port expected')
  const [, id = '', written = '', digits] = parts
  if (!ID.test(id))
    throw new EnodeError(text, `a node id has 128 hex digits, this one ${id.length} characters`)
  if (!isPublicKey(id)) throw new EnodeError(text, 'the node id is no public key')
  const host = written.startsWith('[') ? written.slice(1, -1) : written
  if (written.startsWith('[') ? isIP(host) !== 6 : isIP(host) !== 4 && !isHostName(host)) {
    throw new EnodeError(text, `${written === '' ? 'no host' : `${written} is no host`}`)
  }
  const port = Number(digits ?? '')
  if (digits === undefined || port < 1 || port > MAX_PORT) {
    throw new EnodeError(text, `a port from 1 to ${MAX_PORT} is missing`)
  }
  return { id: id.toLowerCase(), host, port }
}

/** The URL of a node. */
export function formatEnode({ id, host, port }: EnodeAddress): string {
  return `enode://${id}@${isIP(host) === 6 ? `[${host}]` : host}:${port}`
}

/** A name whose last part is all digits would be a malformed IPv4 address. */
function isHostName(host: string): boolean {
  return HOST_NAME.test(host) && !/(^|\.)\d+\.?$/.test(host)
}

function isPublicKey(id: string): boolean {
  try {
    ECDH.convertKey(Buffer.concat([Buffer.from([UNCOMPRESSED]), Buffer.from(id, 'hex')]), 'secp256k1')
    return true
  } catch {
    return false
  }
}
