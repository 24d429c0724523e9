import { impersonatedSignature } from '../../chain/codec/impersonated.ts'
import { bigIntToFixedBytes } from '../../util/bytes.ts'
import type { Signer } from '../../wallet/interface.ts'
import type { NodeContext } from '../context.ts'

const WORD_BYTES = 32

/** A signer that writes the sender where the signature would be. */
export function impersonatingSigner(address: Buffer): Signer {
  const { r, s } = impersonatedSignature(address)
  return {
    address,
    sign: () => ({
      r: bigIntToFixedBytes(r, WORD_BYTES),
      s: bigIntToFixedBytes(s, WORD_BYTES),
      parity: 0,
    }),
  }
}

/** A context in which transactions need no signature. */
export function withoutSignatures(context: NodeContext): NodeContext {
  const { commands } = context
  return {
    ...context,
    commands: { ...commands, sendTransaction: (encoded) => commands.dev.sendImpersonated(encoded) },
  }
}
