// Every helper of @nomicfoundation/hardhat-network-helpers against the node.
const assert = require('node:assert')
const helpers = require('@nomicfoundation/hardhat-network-helpers')
const { ethers, network } = require('hardhat')

const { loadFixture, mine, mineUpTo, takeSnapshot, time } = helpers
const rpc = (method, ...params) => network.provider.send(method, params)
const somebody = `0x${'5a'.repeat(20)}`
const ONE = 10n ** 18n

for (const [name, prepare] of [
  ['on a young chain', async () => undefined],
  ['on a chain that ran ahead, past block 449', () => mine(500)],
  [
    'on a chain that was rewound',
    async () => {
      const snapshot = await takeSnapshot()
      await time.increase(100_000)
      await time.setNextBlockTimestamp((await time.latest()) + 100_000)
      await snapshot.restore()
    },
  ],
]) {
  describe(name, () => {
    before(prepare)

    it('mines', async () => {
      const start = await time.latestBlock()
      await mine()
      assert.equal(await time.latestBlock(), start + 1)
      await mine(3, { interval: 60 })
      assert.equal(await time.latestBlock(), start + 4)
      const [last, before] = await Promise.all([4, 3].map((i) => ethers.provider.getBlock(start + i)))
      assert.equal(last.timestamp - before.timestamp, 60)
      await mineUpTo(start + 10)
      assert.equal(await time.latestBlock(), start + 10)
      await assert.rejects(mineUpTo(start + 10), /Invalid block/)
    })

    it('moves time', async () => {
      const start = await time.latest()
      assert.equal(await time.increase(3600), start + 3600)
      assert.equal(await time.latest(), start + 3600)
      await time.increaseTo(start + 7200)
      assert.equal(await time.latest(), start + 7200)
      await assert.rejects(time.increaseTo(start), /is not after the parent/)
      await time.setNextBlockTimestamp(start + 10_000)
      await new Promise((resolve) => setTimeout(resolve, 1100))
      await mine()
      assert.equal(await time.latest(), start + 10_000)
      for (let i = 1; i <= 10; i += 1) await time.increase(time.duration.days(1))
      assert.equal(await time.latest(), start + 10_000 + 10 * 86_400)
    })

    it('restores snapshots, again and again', async () => {
      const snapshot = await takeSnapshot()
      const [block, latest] = [await time.latestBlock(), await time.latest()]
      const balance = await ethers.provider.getBalance(somebody)
      for (const round of [1, 2]) {
        await helpers.setBalance(somebody, balance + BigInt(round))
        await time.increase(1_000_000)
        await snapshot.restore()
        assert.equal(await time.latestBlock(), block)
        assert.equal(await ethers.provider.getBalance(somebody), balance)
        await mine()
        assert.ok((await time.latest()) < latest + 1000, `${await time.latest()} ${latest}`)
      }
      await snapshot.restore()
    })

    it('loads fixtures from their snapshot', async () => {
      let runs = 0
      async function funded() {
        runs += 1
        await helpers.setBalance(somebody, ONE)
        return { balance: await ethers.provider.getBalance(somebody) }
      }
      for (let i = 0; i < 3; i += 1) {
        const { balance } = await loadFixture(funded)
        assert.equal(balance, ONE)
        assert.equal(await ethers.provider.getBalance(somebody), ONE)
        await helpers.setBalance(somebody, 5n)
      }
      assert.equal(runs, 1)
    })

    it('edits accounts', async () => {
      await helpers.setBalance(somebody, 7n * ONE)
      assert.equal(await ethers.provider.getBalance(somebody), 7n * ONE)
      const elsewhere = ethers.Wallet.createRandom().address
      await helpers.setNonce(elsewhere, 9)
      assert.equal(await ethers.provider.getTransactionCount(elsewhere), 9)
      await helpers.setCode(elsewhere, '0x602a60005260206000f3')
      assert.equal(BigInt(await ethers.provider.call({ to: elsewhere })), 42n)
      await helpers.setStorageAt(elsewhere, 5, 77)
      assert.equal(BigInt(await helpers.getStorageAt(elsewhere, 5)), 77n)
    })

    it('impersonates', async () => {
      const account = ethers.Wallet.createRandom().address
      await helpers.setBalance(account, ONE)
      await helpers.impersonateAccount(account)
      const signer = await ethers.getSigner(account)
      const receipt = await (await signer.sendTransaction({ to: somebody, value: 1n })).wait()
      assert.equal(receipt.from, account)
      await helpers.stopImpersonatingAccount(account)
      await assert.rejects(signer.sendTransaction({ to: somebody, value: 1n }))
      const other = await ethers.getImpersonatedSigner(account)
      assert.equal((await (await other.sendTransaction({ to: somebody })).wait()).status, 1)
    })

    it('sets what blocks are made with', async () => {
      await helpers.setCoinbase(somebody)
      await mine()
      assert.equal((await ethers.provider.getBlock('latest')).miner.toLowerCase(), somebody)
      // The rules let a block move it by a part in 1024.
      const { gasLimit } = await ethers.provider.getBlock('latest')
      await helpers.setBlockGasLimit(gasLimit + 1000n)
      await mine()
      assert.equal((await ethers.provider.getBlock('latest')).gasLimit, gasLimit + 1000n)
      await helpers.setPrevRandao(5)
      await helpers.setNextBlockBaseFeePerGas(100)
    })

    it('drops transactions', async () => {
      const [owner] = await ethers.getSigners()
      await rpc('evm_setAutomine', false)
      const { hash } = await owner.sendTransaction({ to: somebody, value: 1n })
      await helpers.dropTransaction(hash)
      assert.equal(await ethers.provider.getTransaction(hash), null)
      await rpc('evm_setAutomine', true)
    })
  })
}

describe('the network', () => {
  it('is known by its metadata', async () => {
    const { chainId, instanceId } = await rpc('hardhat_metadata')
    assert.equal(chainId, 33)
    await helpers.reset()
    assert.equal(await time.latestBlock(), 0)
    assert.notEqual((await rpc('hardhat_metadata')).instanceId, instanceId)
    await assert.rejects(helpers.reset('http://127.0.0.1:1', 1), /does not answer/)
  })
})
