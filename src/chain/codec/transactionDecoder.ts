import { bytesToBigInt } from '../../util/bytes.ts'
import { REMASC_ADDRESS } from './constants.ts'
import { CodecError } from './errors.ts'
import { itemAt, parseRLPItem, type RlpItem } from './rlpReader.ts'
import { Transaction, type TransactionFields, type TransactionSignature } from './transaction.ts'

const FIELDS = 9
const ADDRESS_LENGTH = 20
const EVEN_V = 28
const ODD_V = 27

/** Transaction of its RLP (consensus.md §5.1). @throws RlpError, CodecError */
export function parseTransaction(rlp: Uint8Array): Transaction {
  return new Transaction(fieldsFromList(parseRLPItem(rlp)))
}

/**
 * Transactions of a block body, in order. The last one is the reward transaction when it looks like one
 * (consensus.md §5.3). Each element is a list, or a string that holds one.
 * @throws RlpError, CodecError
 */
export function transactionsFromItems(items: readonly RlpItem[]): Transaction[] {
  return items.map((item, index) => {
    const fields = fieldsFromList(item.isList ? item : parseRLPItem(item.bytes))
    const isRemasc = index === items.length - 1 && isRemascForm(fields)
    return new Transaction(fields, isRemasc, item.bytes)
  })
}

function fieldsFromList(list: RlpItem): TransactionFields {
  const items = list.itemsOf(FIELDS)
  if (typeof items === 'number') throw new CodecError('TRANSACTION_SIZE', `${FIELDS} elements`, String(items))
  return fieldsOf((index) => itemAt(items, index).bytes)
}

/**
 * Fields of the elements of a transaction (consensus.md §5.1).
 * @param element bytes of an element by its index, 0 to 8
 * @throws CodecError
 */
export function fieldsOf(element: (index: number) => Buffer): TransactionFields {
  const to = element(3)
  if (to.length !== 0 && to.length !== ADDRESS_LENGTH) {
    throw new CodecError('TRANSACTION_FIELD', `receiver of ${ADDRESS_LENGTH} bytes`, String(to.length))
  }
  const gasPrice = element(1)
  return {
    nonceBytes: element(0),
    gasPrice: gasPrice.length === 0 ? null : bytesToBigInt(gasPrice),
    gasLimitBytes: element(2),
    to,
    value: bytesToBigInt(element(4)),
    data: element(5),
    ...signatureFields(element(6), element(7), element(8)),
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
  return {
    chainId: idOfV(written),
    signature: {
      v: isPlain(written) ? written : written % 2 === 0 ? EVEN_V : ODD_V,
      r: bytesToBigInt(r),
      s: bytesToBigInt(s),
    },
  }
}

/** The chain that the byte `v` names, by the reference's arithmetic on signed bytes; 0 for every chain (EIP-155). */
export function idOfV(v: number): number {
  return isPlain(v) ? 0 : Math.trunc((v - 35) / 2)
}

function isPlain(v: number): boolean {
  return v === ODD_V || v === EVEN_V
}

function isRemascForm(fields: TransactionFields): boolean {
  const { to, data, signature, value, gasLimitBytes, gasPrice } = fields
  if (!to.equals(REMASC_ADDRESS) || data.length !== 0 || signature !== null || value !== 0n) return false
  if (gasLimitBytes.length === 0) {
    throw new CodecError('TRANSACTION_FIELD', 'gas limit of a reward transaction', 'an empty one')
  }
  return bytesToBigInt(gasLimitBytes) === 0n && (gasPrice ?? 0n) === 0n
}
