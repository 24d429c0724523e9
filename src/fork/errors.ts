import { CodedError } from '../util/codedError.ts'

/** Reason why the network that a chain is a fork of gave no answer. */
export type UpstreamErrorCode =
  /** No address of it answers. */
  | 'DOWN'
  /** It refuses more requests for now. */
  | 'LIMITED'
  /** It answers with an error. */
  | 'REFUSED'
  /** It does not give that, now or later. */
  | 'NEVER_GIVEN'
  /** It answers what no node of the network answers. */
  | 'MALFORMED'
  /** It says of the state what the state root of the block does not show. */
  | 'UNPROVEN'
  /** The block of the fork is no longer one of its chain. */
  | 'REORGANISED'
  /** It does not keep the state of that block. */
  | 'PRUNED'
  /** It is no network that this program knows, or not the one of the fork. */
  | 'NETWORK'
  /** It is not asked at all. */
  | 'OFFLINE'

/** The network that a chain is a fork of did not give what was needed. The message is a sentence without addresses. */
export class UpstreamError extends CodedError<UpstreamErrorCode> {
  override readonly name = 'UpstreamError'
}
