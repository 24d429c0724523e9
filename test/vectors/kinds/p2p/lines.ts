import { networkByName } from '../../../../src/config/networks/byName.ts'
import type { NetworkName } from '../../../../src/config/networks/names.ts'
import { publicKeyOf } from '../../../../src/native/crypto.ts'
import type { CaseValues } from '../../comparison.ts'

/** First line of a file: the keys that its packets were signed with. */
export interface HeaderLine {
  readonly kind: 'header'
  readonly network: NetworkName
  readonly networkId: number
  readonly rskjKey: string
  readonly rskjNodeId?: string
  readonly peerKey: string
  readonly peerNodeId?: string
}

/** A message that was seen. */
export interface MessageLine {
  readonly seq: number
  readonly scenario: string
  readonly direction: string
  readonly layer: string
  readonly code?: number
  readonly type?: number
  readonly name: string
  readonly payload: string
  readonly decoded?: Readonly<Record<string, unknown>>
  readonly chunks?: readonly Chunk[]
  readonly odd?: string
}

/** A part of a message that went in several frames. */
export interface Chunk {
  readonly headerData: string
  readonly code: number
  readonly bodyPayload: string
}

/** The network has this id, and the node ids belong to the keys. */
export function compareHeader(header: HeaderLine, values: CaseValues): void {
  values.equal('network id', header.networkId, networkByName(header.network).p2p.networkId)
  const idOf = (key: string) => publicKeyOf(Buffer.from(key, 'hex')).toString('hex')
  if (header.rskjNodeId !== undefined) values.equal('RSKj id', header.rskjNodeId, idOf(header.rskjKey))
  if (header.peerNodeId !== undefined) values.equal('peer id', header.peerNodeId, idOf(header.peerKey))
}

/** JSON with the keys of objects in order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([left], [right]) => (left < right ? -1 : 1)))
      : inner,
  )
}
