import { itemAt, type RlpItem } from '../../chain/codec/rlpReader.ts'
import { encodeBytes, encodeList, encodeUnsigned } from '../../chain/codec/rlpWriter.ts'
import { NODE_ID_BYTES } from '../wire/curve.ts'
import { decoding, fixedOf, MAX_FIELDS, numberOf, readList, textOf } from './fields.ts'

/** Version of the p2p messages that we announce (p2p.md §2 Frames). */
export const P2P_VERSION = 4

/** Versions that an RSKj accepts (p2p.md §2 Frames). */
export const ACCEPTED_P2P_VERSIONS: ReadonlySet<number> = new Set([4, 5])

/** Something that a node can talk about, and in which version. */
export interface Capability {
  readonly name: string
  readonly version: number
}

/** The capability that all share (p2p.md §3). */
export const RSK_CAPABILITY: Capability = { name: 'rsk', version: 62 }
/** Snapshots of the state (p2p.md §5 Snapshot sync). It takes no codes. */
export const SNAP_CAPABILITY: Capability = { name: 'snap', version: 1 }
/** Ranges of blocks between nodes of this kind (p2p.md §11). */
export const RHIZOME_CAPABILITY: Capability = { name: 'rhizome', version: 1 }

/** HELLO (p2p.md §3). */
export interface Hello {
  readonly p2pVersion: number
  readonly client: string
  readonly capabilities: readonly Capability[]
  readonly listenPort: number
  /** 64 bytes. */
  readonly nodeId: Buffer
}

/** Capabilities of one HELLO. */
const MAX_CAPABILITIES = 64

/** Payload of HELLO. */
export function encodeHello(hello: Hello): Buffer {
  const capabilities = hello.capabilities.map(({ name, version }) =>
    encodeList([encodeBytes(Buffer.from(name)), encodeUnsigned(version)]),
  )
  return encodeList([
    encodeUnsigned(hello.p2pVersion),
    encodeBytes(Buffer.from(hello.client)),
    encodeList(capabilities),
    encodeUnsigned(hello.listenPort),
    encodeBytes(hello.nodeId),
  ])
}

/** @throws P2pError MESSAGE for bytes that are no HELLO */
export function decodeHello(payload: Buffer): Hello {
  return decoding('HELLO', () => parseHello(readList(payload, MAX_FIELDS)))
}

function parseHello(fields: readonly RlpItem[]): Hello {
  return {
    p2pVersion: numberOf(itemAt(fields, 0)),
    client: textOf(itemAt(fields, 1)),
    capabilities: itemAt(fields, 2).itemsUpTo(MAX_CAPABILITIES).map(parseCapability),
    listenPort: numberOf(itemAt(fields, 3)),
    nodeId: fixedOf(itemAt(fields, 4), NODE_ID_BYTES),
  }
}

function parseCapability(item: RlpItem): Capability {
  const fields = item.itemsUpTo(MAX_FIELDS)
  return { name: textOf(itemAt(fields, 0)), version: numberOf(itemAt(fields, 1)) }
}

/** True when a list of capabilities has one in this very version. */
export function hasCapability(capabilities: readonly Capability[], wanted: Capability): boolean {
  return capabilities.some(({ name, version }) => name === wanted.name && version === wanted.version)
}
