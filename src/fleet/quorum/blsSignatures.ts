import { HeadVerifier, type SignerKey } from '../../snapshot/blsKeys.ts'
import type { SignedFleet } from './headSignature.ts'
import { SignatureBook } from './signatureBook.ts'

/** Which signatures of heads a member asks for (fleet.md §12). */
export interface HeadTrust {
  /** Signatures that a head needs; 0 for none. */
  readonly quorum: number
  /** Keys that count, with verified proofs, 96 hex digits each; without any, none is checked. */
  readonly keys: readonly string[]
}

/** @param key with which this member signs; null for none */
export function createSignatureBook(
  fleet: SignedFleet,
  { quorum, keys }: HeadTrust,
  key: SignerKey | null,
): SignatureBook {
  const verifier = new HeadVerifier(keys)
  return new SignatureBook({
    ...fleet,
    quorum,
    trusted: keys.length === 0 ? null : new Set(keys),
    signer: key && { key: key.publicKey, sign: (content) => key.signHead(content) },
    areValid: (content, signatures) => verifier.areValid(content, signatures),
  })
}
