import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { createAsk } from '../../src/cli/nodeClient.ts'
import { createNode } from '../../src/library/developmentNode.ts'

/** Returns the top word. */
const RETURN = '60005260206000f3'

/** Contracts that end with an error for which the reference has no text (evm.md §8 row 5), under rules that allow it. */
const FAULTS = {
  'the Bridge called before RSKIP88': {
    heights: { rskip88: -1 },
    code: `6000600060006000600063010000065af1${RETURN}`,
  },
  'STATICCALL without its value before RSKIP103': {
    heights: { rskip103: -1 },
    code: `${'6000'.repeat(5)}5afa${RETURN}`,
  },
}

interface Receipt {
  readonly status: string
  readonly contractAddress: string
}

for (const [name, { heights, code }] of Object.entries(FAULTS)) {
  t.test(name, async (t) => {
    const file = join(t.testdir({}), 'heights.json')
    writeFileSync(file, JSON.stringify(heights))
    await using node = await createNode({ config: { activationHeights: file } })
    const ask = createAsk(node.url)
    const [from = '', other = ''] = node.accounts.map(({ address }) => address)
    const send = async (transaction: object) =>
      (await ask('eth_sendTransaction', [{ from, gas: '0x493e0', ...transaction }])) as string
    const receiptOf = async (hash: string) =>
      (await ask('eth_getTransactionReceipt', [hash])) as Receipt | null
    const deploy = async (code: string) => {
      const length = (code.length / 2).toString(16).padStart(2, '0')
      const receipt = await receiptOf(await send({ data: `0x60${length}600c60003960${length}6000f3${code}` }))
      return receipt?.contractAddress ?? ''
    }
    const faulty = await deploy(code)
    const caller = await deploy(`600060006000600060007${`3${faulty.slice(2)}`}620186a0f1${RETURN}`)

    t.match((await receiptOf(await send({ to: caller })))?.status, '0x1', 'below another frame it is a halt')
    t.equal(await ask('eth_call', [{ from, to: caller }, 'latest']), `0x${'0'.repeat(64)}`)
    await t.rejects(ask('eth_estimateGas', [{ from, to: faulty }]))
    const called = await ask('eth_call', [{ from, to: faulty }, 'latest']).catch(
      ({ message }: Error) => message,
    )
    t.type(called, 'string', 'a call is answered')

    const bad = await send({ to: faulty })
    t.equal(await receiptOf(bad), null, 'no block holds it')
    const good = await ask('eth_sendTransaction', [{ from: other, to: from, value: '0x1' }])
    t.match((await receiptOf(good as string))?.status, '0x1', 'blocks go on with others')
    const height = await ask('eth_blockNumber', [])
    await ask('evm_mine', [])
    t.equal(Number(await ask('eth_blockNumber', [])), Number(height) + 1, 'and without any')
    t.equal(await receiptOf(bad), null)
    const counts = ['latest', 'pending'].map((at) => ask('eth_getTransactionCount', [from, at]))
    const [mined, pending] = (await Promise.all(counts)).map(Number)
    t.equal(pending, mined, 'it waits no longer, and nothing behind it does')
  })
}
