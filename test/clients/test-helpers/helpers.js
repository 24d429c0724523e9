// What the helpers of OpenZeppelin promise about time, balances and reverts, on a chain whose instant blocks have
// run ahead of the machine.
const assert = require('node:assert')

require('@openzeppelin/test-helpers/configure')({
  provider: process.env.NODE_URL,
  singletons: { abstraction: 'web3' },
})
const { BN, balance, ether, expectRevert, send, time } = require('@openzeppelin/test-helpers')
const { web3 } = require('@openzeppelin/test-helpers/src/setup')

const rpc = (method, ...params) =>
  new Promise((resolve, reject) => {
    web3.currentProvider.send({ jsonrpc: '2.0', id: 1, method, params }, (error, answer) => {
      if (error || answer.error) reject(error ?? new Error(answer.error.message))
      else resolve(answer.result)
    })
  })

/** Within a second, as the helpers promise it. */
const isNear = (found, expected) =>
  assert.ok(found.sub(expected).abs().lten(1), `${found} is not within a second of ${expected}`)

const HOUR = time.duration.hours(1)

for (const [name, prepare] of [
  ['on a young chain', async () => undefined],
  ['on a chain that ran ahead, past block 449', () => rpc('hardhat_mine', '0x1f4')],
  [
    'on a chain that was rewound',
    async () => {
      const id = await rpc('evm_snapshot')
      await time.increase(time.duration.days(3))
      await rpc('evm_setNextBlockTimestamp', (await time.latest()).addn(10_000).toNumber())
      assert.equal(await rpc('evm_revert', id), true)
    },
  ],
]) {
  describe(`time ${name}`, () => {
    before(prepare)

    it('latest is the time of the newest block', async () => {
      const block = await web3.eth.getBlock('latest')
      assert.equal((await time.latest()).toString(), String(block.timestamp))
      assert.equal((await time.latestBlock()).toString(), String(block.number))
    })

    it('advanceBlock mines one block', async () => {
      const start = await time.latestBlock()
      await time.advanceBlock()
      assert.ok((await time.latestBlock()).eq(start.addn(1)))
    })

    it('advanceBlockTo mines up to a height, and not back', async () => {
      const target = (await time.latestBlock()).addn(5)
      await time.advanceBlockTo(target)
      assert.ok((await time.latestBlock()).eq(target))
      await assert.rejects(time.advanceBlockTo(target.subn(3)), /is lower than current block/)
    })

    it('increase moves the newest block by the duration', async () => {
      for (const duration of [HOUR, new BN(60), time.duration.years(1)]) {
        const start = await time.latest()
        await time.increase(duration)
        isNear(await time.latest(), start.add(duration))
      }
      await assert.rejects(time.increase(-1), /negative amount/)
    })

    it('increaseTo moves it to a time, and not back', async () => {
      const target = (await time.latest()).add(HOUR)
      await time.increaseTo(target)
      isNear(await time.latest(), target)
      await assert.rejects(time.increaseTo(target.sub(HOUR)), /to a moment in the past/)
    })

    it('several increases add up', async () => {
      const start = await time.latest()
      for (let i = 0; i < 10; i += 1) await time.increase(HOUR)
      const found = (await time.latest()).sub(start)
      assert.ok(found.sub(HOUR.muln(10)).abs().lten(10), `${found}`)
    })
  })
}

describe('balances', () => {
  it('a tracker sees what was sent, and what it cost', async () => {
    const [from] = await web3.eth.getAccounts()
    const to = web3.eth.accounts.create().address
    const tracker = await balance.tracker(to)
    const sender = await balance.tracker(from)
    await send.ether(from, to, ether('1'))
    assert.ok((await tracker.delta()).eq(ether('1')))
    const { delta, fees } = await sender.deltaWithFees()
    assert.ok(delta.add(fees).eq(ether('1').neg()), `${delta} ${fees}`)
  })
})

describe('reverts', () => {
  // Reverts with Error(string) "no".
  const CODE = `0x08c379a0${'20'.padStart(64, '0')}${'02'.padStart(64, '0')}${'6e6f'.padEnd(64, '0')}`

  it('expectRevert.unspecified takes a call that reverts', async () => {
    const address = web3.eth.accounts.create().address
    const words = CODE.slice(2).match(/.{1,64}/g)
    const stores = words.map(
      (word, i) => `7f${word.padEnd(64, '0')}60${(i * 32).toString(16).padStart(2, '0')}52`,
    )
    await rpc('hardhat_setCode', address, `0x${stores.join('')}60646000fd`)
    await expectRevert.unspecified(web3.eth.call({ to: address }))
  })
})
