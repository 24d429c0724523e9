import { bytesToBigInt } from '../../util/bytes.ts'
import { REMASC_ADDRESS } from './constants.ts'
import { CodecError } from './errors.ts'
import { itemAt, parseRLPList, type RlpItem } from './rlpReader.ts'
import { Transaction, type TransactionFields, type TransactionSignature } from './transaction.ts'

const FIELDS = 9
const ADDRESS_LENGTH = 20
const EVEN_V = 28
const ODD_V = 27

/** Transaction of its RLP (consensus.md §5.1). @throws RlpError, CodecError */
export function parseTransaction(rlp: Uint8Array): Transaction {
  return new Transaction(fieldsFromItems(parseRLPList(rlp)))
}

/**
 * Transactions of a block body, in order. The last one is the reward transaction when it looks like one
 * (consensus.md §5.3). Each element is a list, or a string that holds one.
 * @throws RlpError, CodecError
 */
export function transactionsFromItems(items: readonly RlpItem[]): Transaction[] {
  return items.map((item, index) => {
    const fields = fieldsFromItems(item.isList ? item.items : parseRLPList(item.bytes))
    const isRemasc = index === items.length - 1 && isRemascForm(fields)
    return new Transaction(fields, isRemasc, item.bytes)
  })
}

function fieldsFromItems(items: readonly RlpItem[]): TransactionFields {
  if (items.length !== FIELDS)
    throw new CodecError('TRANSACTION_SIZE', `${FIELDS} elements`, String(items.length))
  const to = itemAt(items, 3).bytes
  if (to.length !== 0 && to.length !== ADDRESS_LENGTH) {
    throw new CodecError('TRANSACTION_FIELD', `receiver of ${ADDRESS_LENGTH} bytes`, String(to.length))
  }
  const gasPrice = itemAt(items, 1).bytes
  return {
    nonceBytes: itemAt(items, 0).bytes,
    gasPrice: gasPrice.length === 0 ? null : bytesToBigInt(gasPrice),
    gasLimitBytes: itemAt(items, 2).bytes,
    to,
    value: bytesToBigInt(itemAt(items, 4).bytes),
    data: itemAt(items, 5).bytes,
    ...signatureFields(itemAt(items, 6).bytes, itemAt(items, 7).bytes, itemAt(items, 8).bytes),
  }
}

/** Chain id and signature (EIP-155 with the reference's arithmetic on signed bytes). */
function signatureFields(
  v: Buffer,
  r: Buffer,
  s: Buffer,
): { chainId: number; signature: TransactionSignature | null } {
  const [written] = v
  if (written === undefined) return { chainId: 0, signature: null }
  if (v.length !== 1) throw new CodecError('TRANSACTION_SIGNATURE', 'v of one byte', String(v.length))
  if (r.length === 0 || s.length === 0)
    throw new CodecError('TRANSACTION_SIGNATURE', 'r and s', 'an empty one')
  const plain = written === ODD_V || written === EVEN_V
  return {
    chainId: plain ? 0 : Math.trunc((written - 35) / 2),
    signature: {
      v: plain ? written : written % 2 === 0 ? EVEN_V : ODD_V,
      r: bytesToBigInt(r),
      s: bytesToBigInt(s),
    },
  }
}

function isRemascForm(fields: TransactionFields): boolean {
  const { to, data, signature, value, gasLimitBytes, gasPrice } = fields
  if (!to.equals(REMASC_ADDRESS) || data.length !== 0 || signature !== null || value !== 0n) return false
  if (gasLimitBytes.length === 0) {
    throw new CodecError('TRANSACTION_FIELD', 'gas limit of a reward transaction', 'an empty one')
  }
  return bytesToBigInt(gasLimitBytes) === 0n && (gasPrice ?? 0n) === 0n
}
