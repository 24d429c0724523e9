import { Transaction } from 'bitcoinjs-lib'
import t from 'tap'
import { createAsk } from '../../src/cli/nodeClient.ts'
import { createNode } from '../../src/library/developmentNode.ts'
import { Rehearsal } from '../../src/rehearsal/rehearsal.ts'
import type { StepReport } from '../../src/rehearsal/report.ts'
import { runInProcess } from '../support/program.ts'
import { faultsOf } from './bitcoinScripts.ts'

const TITLES = [
  'Bitcoin begins',
  'A peg-in from a P2PKH address',
  'A peg-in from a P2SH-P2WPKH address',
  'A peg-in with instructions (version 1)',
  'A peg-in that is refused',
  'A peg-in that is lost',
  'A fly-over peg-in',
  'The refund is signed',
  'Two users ask for peg-outs',
  'The peg-outs are paid',
  'A federation is elected',
  'The proposed federation is validated',
  'The new federation is active',
  'The funds move to the new federation',
  'The retiring federation is gone',
  'Two users ask for peg-outs',
  'The peg-outs are paid',
]

const PUSH_32 = 0x20
const OP_DROP = 0x75

t.test(
  'a peg on a development chain, and Bitcoin transactions that another implementation takes',
  async (t) => {
    await using node = await createNode()
    const rehearsal = new Rehearsal({ ask: createAsk(node.url) })
    const reports: StepReport[] = []
    for await (const report of rehearsal.run()) reports.push(report)
    t.same(
      reports.map(({ title }) => title),
      TITLES,
    )
    t.equal(reports.length, rehearsal.length)

    const { bitcoin } = rehearsal
    const mined = bitcoin.blocksFrom(1).flatMap(({ transactions }) => transactions.slice(1))
    t.ok(mined.length >= 18, `${mined.length} transactions besides coinbases`)
    t.same(
      mined.flatMap((transaction) => faultsOf(bitcoin, transaction)),
      [],
    )

    const raws = reports.flatMap(({ metadata }) =>
      metadata.flatMap(([name, value]) => (name === 'raw' ? [value] : [])),
    )
    const releases = raws.map((raw) => Transaction.fromHex(raw))
    t.equal(releases.length, 5, 'refund, peg-outs, validation, migration, peg-outs of the new federation')
    for (const release of releases) {
      const id = release.getId()
      t.ok(
        mined.some((transaction) => transaction.getId() === id),
        `${id} is mined`,
      )
      t.same(faultsOf(bitcoin, release), [])
    }

    const redeemScripts = releases.flatMap(({ ins }) => ins.map(({ witness }) => witness.at(-1)))
    t.ok(
      redeemScripts.some((script) => script?.[0] === PUSH_32 && script?.[PUSH_32 + 1] === OP_DROP),
      'a redeem script behind a derivation hash was satisfied',
    )

    t.test('what the interpreter would refuse', async (t) => {
      for (const release of releases) {
        const paysOther = release.clone()
        const [output] = paysOther.outs
        if (output !== undefined) output.value -= 1n
        t.match(faultsOf(bitcoin, paysOther), [/input 0: /], 'another amount')

        const unsigned = release.clone()
        const [input] = unsigned.ins
        if (input !== undefined) input.witness[1] = new Uint8Array(0)
        t.match(faultsOf(bitcoin, unsigned), [/input 0: /], 'a signature too few')
      }
    })

    // Waited for: the node stops where this scope ends.
    await t.test('a Bridge that was used is no place for a second rehearsal', async (t) => {
      const { code, stderr, stdout } = await runInProcess(['bridge', 'rehearse', '--url', node.url])
      t.equal(code, 2)
      t.match(stderr, 'the Bridge of this node has been used')
      t.equal(stdout, '')
    })
  },
)

t.test('other nodes are refused', async (t) => {
  t.test('of another chain', async (t) => {
    const rehearsal = new Rehearsal({ ask: async () => '0x1e' })
    await t.rejects(rehearsal.run().next(), {
      code: 'UNSUITABLE',
      message: /the node is of chain 30: a peg is rehearsed on regtest/,
    })
  })

  t.test('that make no blocks for strangers', async (t) => {
    const rehearsal = new Rehearsal({
      ask: async (method) => {
        if (method === 'eth_chainId') return '0x21'
        throw new Error(`${method}: the method is not open`)
      },
    })
    await t.rejects(rehearsal.run().next(), { code: 'UNSUITABLE', message: /its profile must be dev/ })
  })
})

t.test('the command starts a node, tells every step, and pays whom it is told to', async (t) => {
  const receiver = `0x${'7e'.repeat(20)}`
  const { code, stdout, stderr } = await runInProcess(['bridge', 'rehearse', '--receiver', receiver])
  t.equal(stderr, '')
  t.equal(code, 0)
  for (const [index, title] of TITLES.entries())
    t.match(stdout, `${index + 1} of ${TITLES.length}: ${title}\n`)
  t.match(stdout, new RegExp(`account on Rootstock +${receiver}\n +it got +1 RBTC\n`))
  t.notMatch(stdout, /^ +raw /m)
})
