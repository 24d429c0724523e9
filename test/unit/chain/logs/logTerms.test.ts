import fc from 'fast-check'
import t from 'tap'
import { encodeLogs, type Log } from '../../../../src/chain/codec/receipt.ts'
import { encodeBytes, encodeList, RLP_EMPTY } from '../../../../src/chain/codec/rlpWriter.ts'
import { logTermsOf } from '../../../../src/chain/logs/logTerms.ts'
import { ANY_LOG, addressTerm, topicTerm } from '../../../../src/chain/tables/logTerm.ts'
import { generatedBlock } from '../../../support/generatedBlocks.ts'
import { logTermsOf as oracleTerms } from '../../../support/oracle/logTerms.ts'
import { readVectorLines } from '../../../support/vectors.ts'

function receiptsWith(logs: readonly Log[]): Buffer {
  const fields = [
    RLP_EMPTY,
    RLP_EMPTY,
    encodeBytes(Buffer.alloc(256)),
    encodeLogs(logs),
    RLP_EMPTY,
    RLP_EMPTY,
  ]
  return encodeList([encodeList(fields)])
}

t.test('terms of generated receipts are those of a walk in TypeScript', async () => {
  fc.assert(
    fc.property(
      generatedBlock,
      ({ receipts }) => JSON.stringify(logTermsOf(receipts)) === JSON.stringify([...oracleTerms(receipts)]),
    ),
    { numRuns: 300 },
  )
})

t.test('terms of recorded receipts', async (t) => {
  interface Line {
    readonly txs?: readonly { readonly receiptRlp: string }[]
  }
  let terms = 0
  for (const { txs } of readVectorLines<Line>('rpc/chain-main.jsonl')) {
    const receipts = encodeList((txs ?? []).map(({ receiptRlp }) => Buffer.from(receiptRlp.slice(2), 'hex')))
    const found = logTermsOf(receipts)
    t.same(found, [...oracleTerms(receipts)])
    terms += found.length
  }
  t.ok(terms > 50, `${terms} terms`)
})

t.test('what a search asks for is what the index has, whatever the length', async () => {
  const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((value) => Buffer.from(value))
  fc.assert(
    fc.property(bytes(70), fc.array(bytes(70), { maxLength: 4 }), (address, topics) => {
      const found = logTermsOf(receiptsWith([{ address, topics, data: Buffer.alloc(0) }]))
      const asked = [
        addressTerm(address),
        ...topics.map((topic, position) => topicTerm(position, topic)),
        ANY_LOG,
      ]
      return JSON.stringify(found) === JSON.stringify([...new Set(asked)])
    }),
    { numRuns: 300 },
  )
})

t.test('no logs, no terms; receipts that end too soon are refused', async (t) => {
  t.same(logTermsOf(receiptsWith([])), [])
  const whole = receiptsWith([{ address: Buffer.alloc(20, 1), topics: [], data: Buffer.alloc(3) }])
  t.throws(() => logTermsOf(whole.subarray(0, -1)), { code: 'InvalidArgument' })
})
