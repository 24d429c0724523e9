import { CodedError } from '../../util/codedError.ts'

/** The kinds of failure of a connection. */
export type P2pErrorCode =
  /** The other end was not reached. */
  | 'UNREACHABLE'
  /** It did not do in time what it has to. */
  | 'TIMEOUT'
  /** It closed before the handshake was over. */
  | 'ENDED'
  /** The bytes before the first frame are no auth, no ack, or for another key. */
  | 'HANDSHAKE'
  /** A frame whose MAC is wrong, or of a form that is not read. */
  | 'FRAME'
  /** More bytes than are taken. */
  | 'TOO_LARGE'
  /** A message that does not decode, or of a code that is not used. */
  | 'MESSAGE'
  /** It speaks another version, or shares no capability. */
  | 'INCOMPATIBLE'
  /** Whoever asked for it does not want it any more. */
  | 'ABORTED'

/** The other node sent something that the protocol does not allow, or it cannot be talked to. */
export class P2pError extends CodedError<P2pErrorCode> {
  override readonly name = 'P2pError'
  /** The reason in the other end's DISCONNECT in place of the handshake; null when it said nothing. */
  readonly disconnectReason: number | null

  constructor(
    code: P2pErrorCode,
    message: string,
    options: ErrorOptions & { readonly disconnectReason?: number } = {},
  ) {
    super(code, message, options)
    this.disconnectReason = options.disconnectReason ?? null
  }
}
