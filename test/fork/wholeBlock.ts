import { Block, parseBlock, transactionsRoot } from '../../src/chain/codec/block.ts'
import { encodeStrings } from '../../src/chain/codec/rlpWriter.ts'
import { createRemascTransaction, type Transaction } from '../../src/chain/codec/transaction.ts'
import { parseTransaction } from '../../src/chain/codec/transactionDecoder.ts'
import type { NetworkSpec } from '../../src/config/networkSpec.ts'
import type { Upstream } from '../../src/fork/upstream.ts'
import { bytesOf, fetchBlock, numberOf, quantity } from '../../src/fork/upstreamBlock.ts'
import type { Ask } from './upstreamChain.ts'

type Fields = Readonly<Record<string, unknown>>

/**
 * A canonical block with its transactions, of an upstream that gives raw blocks or of one that does not, as RSKj.
 * @throws Error where the transactions do not have the root of the header
 */
export async function wholeBlock(
  upstream: Upstream,
  ask: Ask,
  spec: NetworkSpec,
  number: number,
): Promise<Block> {
  const raw = await ask<string>('debug_getRawBlock', [quantity(number)]).catch(() => null)
  if (raw !== null) return parseBlock(spec, bytesOf(raw))
  const { header, uncles } = await fetchBlock(upstream, spec, number)
  const { transactions: described } = await ask<{ transactions: Fields[] }>('eth_getBlockByNumber', [
    quantity(number),
    true,
  ])
  const transactions = described.map((fields, index) =>
    index === described.length - 1 ? createRemascTransaction(number) : transactionOf(fields),
  )
  if (!transactionsRoot(spec, number, transactions).equals(header.fields.txTrieRoot))
    throw new Error(`the transactions of block ${number} do not have the root of its header`)
  return new Block(header, transactions, uncles)
}

function transactionOf(fields: Fields): Transaction {
  const amount = (name: string) => numberOf(fields[name])
  const to = fields['to']
  return parseTransaction(
    encodeStrings([
      amount('nonce'),
      amount('gasPrice'),
      amount('gas'),
      to === null || to === undefined ? null : bytesOf(to),
      amount('value'),
      bytesOf(fields['input']),
      amount('v'),
      amount('r'),
      amount('s'),
    ]),
  )
}
