import { type RlpItem, readRlpItems, rlpItemLength } from '../../chain/codec/rlpReader.ts'
import { encodeBytes, encodeList, encodeStrings, encodeUnsigned } from '../../chain/codec/rlpWriter.ts'
import { keccak256, recoverAddresses, SIGNER_ANSWER_BYTES } from '../../native/crypto.ts'
import { recoverNodeId, SIGNATURE_BYTES, sign } from '../wire/curve.ts'

/** Announced endpoint of a node; the host is text (p2p.md §1). */
export interface Endpoint {
  readonly host: string
  readonly udp: number
  readonly tcp: number
}

/** A node in a NEIGHBORS packet. */
export interface NodeEntry extends Endpoint {
  /** 64 bytes where it is one. */
  readonly id: Buffer
}

/** Trailer of all packets. */
interface Request {
  /** UUID of the request, which its response repeats. Unchecked text: see {@link isCheck}. */
  readonly check: string
  /** null where the sender left it out. */
  readonly networkId: number | null
}

/** A packet of discovery (p2p.md §1). */
export type DiscoveryMessage =
  | (Request & { readonly type: 'ping' | 'pong'; readonly from: Endpoint; readonly to: Endpoint })
  | (Request & { readonly type: 'findNode'; readonly nodeId: Buffer })
  | (Request & { readonly type: 'neighbors'; readonly nodes: readonly NodeEntry[] })

/** A decoded packet; its sender is unknown before {@link recoverSender}, which takes most of the time. */
export interface DiscoveryPacket {
  readonly message: DiscoveryMessage
  /** Signed hash, 32 bytes. */
  readonly hash: Buffer
  /** r ∥ s ∥ v: 65 bytes. */
  readonly signature: Buffer
}

/** Bytes that are not a packet of discovery. */
export class DiscoveryPacketError extends Error {
  override readonly name = 'DiscoveryPacketError'
  readonly code = 'DISCOVERY_PACKET'
}

/** Most bytes of a datagram: the reference's receive buffer. */
export const MAX_PACKET_BYTES = 8192

const MDC_BYTES = 32
const TYPE_AT = MDC_BYTES + SIGNATURE_BYTES
const MIN_PACKET_BYTES = TYPE_AT + 1
const TYPES = ['ping', 'pong', 'findNode', 'neighbors'] as const
/** Pattern of a version 4 UUID. */
const CHECK = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const MAX_NUMBER_BYTES = 4

/** True when a packet with this check is processed: it is a UUID of version 4 (p2p.md §1). */
export function isCheck(check: string): boolean {
  return CHECK.test(check)
}

/**
 * Encodes a packet: `mdc ∥ signature ∥ type ∥ data`.
 * @param privateKey of the sender, 32 bytes
 * @param least length up to which it is filled with zeros, which receivers ignore
 */
export function encodePacket(message: DiscoveryMessage, privateKey: Buffer, least = 0): Buffer {
  const data = encodeData(message)
  const filling = Buffer.alloc(Math.max(0, least - TYPE_AT - 1 - data.length))
  const signed = Buffer.concat([Buffer.from([TYPES.indexOf(message.type) + 1]), data, filling])
  const rest = Buffer.concat([sign(keccak256(signed), privateKey), signed])
  return Buffer.concat([keccak256(rest), rest])
}

/**
 * Decodes a packet. Bytes after its list are ignored, as the reference does.
 * @throws DiscoveryPacketError when the bytes are damaged or of another form
 */
export function decodePacket(bytes: Buffer): DiscoveryPacket {
  if (bytes.length < MIN_PACKET_BYTES || bytes.length > MAX_PACKET_BYTES) {
    throw new DiscoveryPacketError(`a packet of ${bytes.length} bytes`)
  }
  if (!keccak256(bytes.subarray(MDC_BYTES)).equals(bytes.subarray(0, MDC_BYTES))) {
    throw new DiscoveryPacketError('mdc mismatch')
  }
  const type = TYPES[(bytes[TYPE_AT] ?? 0) - 1]
  if (type === undefined) throw new DiscoveryPacketError(`a packet of type ${bytes[TYPE_AT]}`)
  return {
    message: decodeData(type, bytes.subarray(TYPE_AT + 1)),
    hash: keccak256(bytes.subarray(TYPE_AT)),
    signature: bytes.subarray(MDC_BYTES, TYPE_AT),
  }
}

/** Node id of the signer, 64 bytes; null for an invalid signature. */
export function recoverSender({ hash, signature }: DiscoveryPacket): Buffer | null {
  return recoverNodeId(hash, signature)
}

/**
 * Whether a node signed the packet, which takes a tenth of the time of recovering the signer.
 * @param id 64 bytes
 */
export function isSender({ hash, signature }: DiscoveryPacket, id: Buffer): boolean {
  const parity = signature.subarray(SIGNATURE_BYTES - 1)
  const record = Buffer.concat([hash, parity, signature.subarray(0, SIGNATURE_BYTES - 1)])
  const answer = recoverAddresses(record)
  // The native core identifies signers by the end of the hash of their key; all of it is compared.
  return answer[0] === 1 && answer.subarray(1).equals(keccak256(id).subarray(-(SIGNER_ANSWER_BYTES - 1)))
}

function encodeData(message: DiscoveryMessage): Buffer {
  const check = encodeBytes(Buffer.from(message.check, 'latin1'))
  const tail = message.networkId === null ? [check] : [check, encodeUnsigned(message.networkId)]
  switch (message.type) {
    case 'findNode':
      return encodeList([encodeBytes(message.nodeId), ...tail])
    case 'neighbors':
      return encodeList([encodeList(message.nodes.map(encodeNode)), ...tail])
    default:
      return encodeList([encodeStrings(endpoint(message.from)), encodeStrings(endpoint(message.to)), ...tail])
  }
}

function encodeNode(node: NodeEntry): Buffer {
  return encodeStrings([...endpoint(node), node.id])
}

function endpoint({ host, udp, tcp }: Endpoint): [Buffer, number, number] {
  return [Buffer.from(host, 'latin1'), udp, tcp]
}

function decodeData(type: DiscoveryMessage['type'], data: Buffer): DiscoveryMessage {
  try {
    const [list] = readRlpItems(data.subarray(0, rlpItemLength(data, 0)))
    const items = list?.items ?? []
    switch (type) {
      case 'findNode': {
        const [nodeId, ...rest] = items
        return { type, nodeId: stringAt(nodeId), ...tailOf(rest) }
      }
      case 'neighbors': {
        const [nodes, ...rest] = items
        return { type, nodes: (nodes?.items ?? []).map(({ items }) => decodeNode(items)), ...tailOf(rest) }
      }
      default: {
        const [from, to, ...rest] = items
        return { type, from: decodeEndpoint(from?.items), to: decodeEndpoint(to?.items), ...tailOf(rest) }
      }
    }
  } catch (error) {
    if (error instanceof DiscoveryPacketError) throw error
    throw new DiscoveryPacketError((error as Error).message, { cause: error })
  }
}

function decodeEndpoint(items: readonly RlpItem[] = []): Endpoint {
  if (items.length !== 3) throw new DiscoveryPacketError(`an endpoint of ${items.length} elements`)
  return { host: stringAt(items[0]).toString('latin1'), udp: numberAt(items[1]), tcp: numberAt(items[2]) }
}

/** Four elements, or three in the older form, which has one port. */
function decodeNode(items: readonly RlpItem[]): NodeEntry {
  const udp = numberAt(items[1])
  const host = stringAt(items[0]).toString('latin1')
  return items.length > 3
    ? { host, udp, tcp: numberAt(items[2]), id: stringAt(items[3]) }
    : { host, udp, tcp: udp, id: stringAt(items[2]) }
}

function tailOf([check, networkId]: readonly RlpItem[]): Request {
  return {
    check: stringAt(check).toString('latin1'),
    networkId: networkId === undefined ? null : numberAt(networkId),
  }
}

function stringAt(item: RlpItem | undefined): Buffer {
  if (item === undefined || item.isList) throw new DiscoveryPacketError('a string is missing')
  return item.bytes
}

function numberAt(item: RlpItem | undefined): number {
  const bytes = stringAt(item)
  if (bytes.length > MAX_NUMBER_BYTES) throw new DiscoveryPacketError(`a number of ${bytes.length} bytes`)
  return bytes.length === 0 ? 0 : bytes.readUIntBE(0, bytes.length)
}
