/**
 * The messages of RSK_MESSAGE (p2p.md §4) as values. Blocks, headers and transactions stay RLP, as they came:
 * whoever uses them decodes them. Hashes are 32 bytes. A request id is chosen by who asks and echoed: 63 bits.
 */

/** A block as announcements and skeletons name it. */
export interface BlockIdentifier {
  readonly hash: Buffer
  readonly number: number
}

/** A peer's description of its chain; the old form of two elements leaves the last two out. */
export interface ChainStatus {
  readonly bestNumber: number
  readonly bestHash: Buffer
  readonly bestParentHash: Buffer | null
  readonly totalDifficulty: bigint | null
}

/** The part that a header names and its compressed form leaves out (RSKIP351): type 15, third element. */
export interface BodyExtension {
  readonly version: number
  /** RLP list: `[bloom, edges?]` in version 1, `[bloom, baseEvent, edges?]` in version 2. */
  readonly data: Buffer
}

/** Messages that nobody waits for. */
export type RskAnnouncement =
  | { readonly type: 'status'; readonly status: ChainStatus }
  | { readonly type: 'block'; readonly block: Buffer }
  | { readonly type: 'getBlock'; readonly hash: Buffer }
  | { readonly type: 'newBlockHashes'; readonly blocks: readonly BlockIdentifier[] }
  | { readonly type: 'newBlockHash'; readonly hash: Buffer }
  | { readonly type: 'transactions'; readonly transactions: readonly Buffer[] }

/** Questions. */
export type RskRequest =
  | { readonly type: 'blockHashRequest'; readonly id: bigint; readonly height: number }
  | {
      readonly type: 'blockHeadersRequest'
      readonly id: bigint
      readonly hash: Buffer
      readonly count: number
    }
  | { readonly type: 'blockRequest'; readonly id: bigint; readonly hash: Buffer }
  | { readonly type: 'bodyRequest'; readonly id: bigint; readonly hash: Buffer }
  | { readonly type: 'skeletonRequest'; readonly id: bigint; readonly startNumber: number }
  | {
      readonly type: 'snapStateChunkRequest'
      readonly id: bigint
      readonly blockNumber: number
      readonly from: number
      readonly chunkSize: number
    }
  | { readonly type: 'snapStatusRequest'; readonly id: bigint }
  | { readonly type: 'snapBlocksRequest'; readonly id: bigint; readonly blockNumber: number }

/** Answers. */
export type RskResponse =
  | { readonly type: 'blockHashResponse'; readonly id: bigint; readonly hash: Buffer }
  | { readonly type: 'blockHeadersResponse'; readonly id: bigint; readonly headers: readonly Buffer[] }
  | { readonly type: 'blockResponse'; readonly id: bigint; readonly block: Buffer }
  | {
      readonly type: 'bodyResponse'
      readonly id: bigint
      readonly transactions: readonly Buffer[]
      readonly uncles: readonly Buffer[]
      readonly extension: BodyExtension | null
    }
  | { readonly type: 'skeletonResponse'; readonly id: bigint; readonly blocks: readonly BlockIdentifier[] }
  | {
      readonly type: 'snapStateChunkResponse'
      readonly id: bigint
      readonly chunk: Buffer
      readonly blockNumber: number
      readonly from: number
      readonly to: number
      readonly complete: boolean
    }
  | {
      readonly type: 'snapStatusResponse'
      readonly id: bigint
      readonly blocks: readonly Buffer[]
      readonly totalDifficulties: readonly bigint[]
      readonly trieSize: number
    }
  | {
      readonly type: 'snapBlocksResponse'
      readonly id: bigint
      readonly blocks: readonly Buffer[]
      readonly totalDifficulties: readonly bigint[]
    }

/**
 * Ranges of whole blocks between nodes that both announce the capability `rhizome`/1; a peer that does not never
 * gets them (p2p.md §11).
 */
export type RangeRequest = {
  readonly type: 'blockRangeRequest'
  readonly id: bigint
  /** The highest block that is wanted; the answer goes down from there along its parents. */
  readonly hash: Buffer
  readonly count: number
}
export type RangeResponse = {
  readonly type: 'blockRangeResponse'
  readonly id: bigint
  /** Whole blocks, ascending, the last is the one that was named; fewer where the answer would be too long. */
  readonly blocks: readonly Buffer[]
}

export type PeerRequest = RskRequest | RangeRequest
export type PeerResponse = RskResponse | RangeResponse
/** Any message that a peer may send once the handshake is over. */
export type PeerMessage = RskAnnouncement | PeerRequest | PeerResponse

/** Type of the answer that belongs to a question. */
export type ResponseTo<Q extends PeerRequest> = Extract<
  PeerResponse,
  { type: Q['type'] extends `${infer Name}Request` ? `${Name}Response` : never }
>
