import { Block, parseBlock, transactionsRoot, unclesHash } from '../chain/codec/block.ts'
import { encodeStrings } from '../chain/codec/rlpWriter.ts'
import { createRemascTransaction, type Transaction } from '../chain/codec/transaction.ts'
import { parseTransaction } from '../chain/codec/transactionDecoder.ts'
import type { NetworkSpec } from '../config/networkSpec.ts'
import { bigIntToBytes, toHex } from '../util/bytes.ts'
import { UpstreamError } from './errors.ts'
import { type Upstream, UpstreamRefusal } from './upstream.ts'
import { bytesOf, fetchBlock, numberOf, quantity } from './upstreamBlock.ts'
import { withoutUrls } from './upstreamName.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * A canonical block with its transactions, of an upstream that gives raw blocks or of one that does not, as RSKj.
 * @throws UpstreamError also where transactions or uncles are not those that the header commits to
 */
export async function fetchWholeBlock(upstream: Upstream, spec: NetworkSpec, number: number): Promise<Block> {
  const raw = await upstream.request('debug_getRawBlock', [quantity(number)]).catch((error: unknown) => {
    if (error instanceof UpstreamRefusal) return null
    throw error
  })
  const block = raw === null ? await blockOfFields(upstream, spec, number) : parseBlock(spec, bytesOf(raw))
  const { header, transactions, uncles } = block
  const isWhole =
    block.number === number &&
    transactionsRoot(spec, number, transactions).equals(header.fields.txTrieRoot) &&
    unclesHash(uncles).equals(header.fields.unclesHash)
  if (isWhole) return block
  throw new UpstreamError(
    'MALFORMED',
    `the upstream's transactions or uncles of block ${number} are not those of its header`,
  )
}

async function blockOfFields(upstream: Upstream, spec: NetworkSpec, number: number): Promise<Block> {
  const [{ header, uncles }, whole] = await Promise.all([
    fetchBlock(upstream, spec, number),
    upstream.request('eth_getBlockByNumber', [quantity(number), true]),
  ])
  const { transactions } = (whole ?? {}) as { transactions?: readonly Fields[] }
  const described = transactions ?? []
  // The last one pays rewards, and is signed by nobody.
  const all = described.map((fields, index) =>
    index === described.length - 1 ? createRemascTransaction(number) : transactionOf(fields),
  )
  return new Block(header, all, uncles)
}

/**
 * The transaction that JSON describes. It does not tell in which of several ways zeros were written, which the hash
 * commits to (consensus.md §5.1): the one that has the hash.
 */
function transactionOf(fields: Fields): Transaction {
  const amount = (name: string) => numberOf(fields[name])
  const to = fields['to']
  for (const gasPrice of formsOf(amount('gasPrice'))) {
    for (const gasLimit of formsOf(amount('gas'))) {
      for (const nonce of formsOf(amount('nonce'))) {
        const transaction = parseTransaction(
          encodeStrings([
            nonce,
            gasPrice,
            gasLimit,
            to === null || to === undefined ? null : bytesOf(to),
            amount('value'),
            bytesOf(fields['input']),
            amount('v'),
            amount('r'),
            amount('s'),
          ]),
        )
        if (toHex(transaction.hash) === fields['hash']) return transaction
      }
    }
  }
  throw new UpstreamError(
    'MALFORMED',
    `the upstream's transaction ${withoutUrls(String(fields['hash']))} has not that hash`,
  )
}

/** Bytes of a number, and those with a zero before it, as numbers with a sign have it. */
function formsOf(value: bigint): readonly Buffer[] {
  const bytes = bigIntToBytes(value)
  return [bytes, Buffer.concat([Buffer.from([0]), bytes])]
}
