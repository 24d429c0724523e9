import { CodedError } from '../util/codedError.ts'

/** Reason why the wallet refuses an operation. */
export type WalletErrorCode =
  /** No key file has the address. */
  | 'UNKNOWN_ACCOUNT'
  /** The passphrase does not decrypt the key file. */
  | 'WRONG_PASSPHRASE'
  /** The key file is unreadable or of an unsupported form. */
  | 'KEY_FILE'
  /** Not a valid private key of the curve. */
  | 'INVALID_KEY'
  /** Too many key derivations are queued. */
  | 'BUSY'
  /** Words that are no mnemonic (BIP-39). */
  | 'MNEMONIC'
  /** A path that no key has (BIP-32). */
  | 'DERIVATION_PATH'
  /** Typed data that cannot be hashed (EIP-712). */
  | 'TYPED_DATA'

/** An operation that the wallet refuses. Its message never contains a key or a passphrase. */
export class WalletError extends CodedError<WalletErrorCode> {
  override readonly name = 'WalletError'
}
