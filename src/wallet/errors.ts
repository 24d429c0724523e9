import { CodedError } from '../util/codedError.ts'

/** Why the wallet refuses. */
export type WalletErrorCode =
  /** No key file has the address. */
  | 'UNKNOWN_ACCOUNT'
  /** The passphrase does not open the key file. */
  | 'WRONG_PASSPHRASE'
  /** The key file cannot be read or is not one that this wallet opens. */
  | 'KEY_FILE'
  /** Not a private key of the curve. */
  | 'INVALID_KEY'
  /** Too many passphrases are being worked on. */
  | 'BUSY'
  /** Typed data that cannot be hashed (EIP-712). */
  | 'TYPED_DATA'

/** A refusal of the wallet. Its message never holds a key or a passphrase. */
export class WalletError extends CodedError<WalletErrorCode> {
  override readonly name = 'WalletError'
}
