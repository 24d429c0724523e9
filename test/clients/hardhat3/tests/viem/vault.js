// hardhat-viem with its assertions, network helpers and ignition.
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { network } from 'hardhat'
import { getAddress, parseEther, verifyTypedData } from 'viem'
import { all } from '../../ignition/all.js'

describe('hardhat-viem', async () => {
  const { viem, networkHelpers, ignition } = await network.create()
  const { time } = networkHelpers
  // The genesis block of a network is years old; the blocks after it follow the clock.
  await networkHelpers.mine()
  const publicClient = await viem.getPublicClient()
  const [owner, other] = await viem.getWalletClients()

  async function vaultFixture() {
    const unlockTime = BigInt(await time.latest()) + 100_000n
    return { unlockTime, vault: await viem.deployContract('Vault', [unlockTime], { value: 1000n }) }
  }

  it('deploys and reads', async () => {
    const { vault, unlockTime } = await networkHelpers.loadFixture(vaultFixture)
    assert.equal(await vault.read.unlockTime(), unlockTime)
    assert.equal(await vault.read.owner(), getAddress(owner.account.address))
    assert.equal(await publicClient.getBalance({ address: vault.address }), 1000n)
    assert.equal(await publicClient.getChainId(), 33)
  })

  it('links libraries', async () => {
    const scale = await viem.deployContract('Scale')
    const coin = await viem.deployContract('Coin', ['Coin', 'CO', 2n], {
      libraries: { Scale: scale.address },
    })
    assert.equal(await coin.read.totalSupply(), parseEther('2'))
  })

  it('asserts reverts', async () => {
    const { vault, unlockTime } = await networkHelpers.loadFixture(vaultFixture)
    const { assertions } = viem
    await assertions.revert(vault.write.deposit(['x']))
    await assertions.revertWith(vault.write.deposit(['x']), 'nothing to deposit')
    await assertions.revertWithCustomError(vault.write.withdraw(), vault, 'TooEarly')
    await assertions.revertWithCustomErrorWithArgs(
      vault.read.divide([1n, 0n]).catch(() => vault.write.withdraw()),
      vault,
      'TooEarly',
      [() => true, unlockTime],
    )
    await assertions.revertWith(viem.deployContract('Vault', [1n]), 'Unlock time should be in the future')
    await time.increaseTo(unlockTime)
    await assertions.revertWithCustomError(
      vault.write.withdraw({ account: other.account }),
      vault,
      'NotOwner',
    )
    await vault.write.withdraw()
  })

  it('asserts events', async () => {
    const { vault } = await networkHelpers.loadFixture(vaultFixture)
    const from = getAddress(owner.account.address)
    await viem.assertions.emit(vault.write.deposit(['a'], { value: 1n }), vault, 'Deposited')
    await viem.assertions.emitWithArgs(vault.write.deposit(['b'], { value: 2n }), vault, 'Deposited', [
      from,
      2n,
      'b',
    ])
    const events = await vault.getEvents.Deposited({ from }, { fromBlock: 0n })
    assert.deepEqual(
      events.map(({ args }) => args.note),
      ['a', 'b'],
    )
  })

  it('asserts changes of balances', async () => {
    const { vault } = await networkHelpers.loadFixture(vaultFixture)
    const hash = vault.write.deposit(['c'], { value: 3n, account: other.account })
    await viem.assertions.balancesHaveChanged(hash, [
      { address: vault.address, amount: 3n },
      { address: other.account.address, amount: -3n },
    ])
  })

  it('asks at earlier blocks', async () => {
    const { vault } = await networkHelpers.loadFixture(vaultFixture)
    const blockNumber = await publicClient.getBlockNumber({ cacheTime: 0 })
    await vault.write.deposit(['later'], { value: 1n })
    assert.equal((await vault.read.allEntries()).length, 1)
    assert.equal((await vault.read.allEntries({ blockNumber })).length, 0)
    assert.equal(await publicClient.getBalance({ address: vault.address, blockNumber }), 1000n)
  })

  it('signs typed data, sends from impersonated accounts', async () => {
    const typed = {
      domain: { name: 'Test', chainId: 33 },
      types: { Mail: [{ name: 'text', type: 'string' }] },
      primaryType: 'Mail',
      message: { text: 'hello' },
    }
    const signature = await owner.signTypedData(typed)
    assert.equal(await verifyTypedData({ address: owner.account.address, signature, ...typed }), true)
    const address = `0x${'6b'.repeat(20)}`
    await networkHelpers.setBalance(address, parseEther('1'))
    await networkHelpers.impersonateAccount(address)
    const wallet = await viem.getWalletClient(address)
    const hash = await wallet.sendTransaction({ to: `0x${'6c'.repeat(20)}`, value: 1n })
    assert.equal((await publicClient.waitForTransactionReceipt({ hash })).from, address)
    await networkHelpers.stopImpersonatingAccount(address)
  })

  it('every network helper', async () => {
    const address = `0x${'7a'.repeat(20)}`
    const snapshot = await networkHelpers.takeSnapshot()
    const start = await time.latestBlock()
    await networkHelpers.mine(5, { interval: 7 })
    await networkHelpers.mineUpTo(start + 8)
    assert.equal(await time.latestBlock(), start + 8)
    await networkHelpers.setNonce(address, 9)
    assert.equal(await publicClient.getTransactionCount({ address }), 9)
    await networkHelpers.setCode(address, '0x6001')
    assert.equal(await publicClient.getCode({ address }), '0x6001')
    await networkHelpers.setStorageAt(address, 1, 5)
    assert.equal(BigInt(await networkHelpers.getStorageAt(address, 1)), 5n)
    await networkHelpers.setCoinbase(address)
    await networkHelpers.setBlockGasLimit(9_000_000)
    await networkHelpers.setNextBlockBaseFeePerGas(0)
    await networkHelpers.setPrevRandao(1)
    const latest = await time.latest()
    await time.setNextBlockTimestamp(latest + 500)
    await networkHelpers.mine()
    assert.equal(await time.latest(), latest + 500)
    assert.equal(await time.increase(time.duration.hours(1)), latest + 500 + 3600)
    await snapshot.restore()
    assert.equal(await time.latestBlock(), start)
    assert.equal(await publicClient.getCode({ address }), undefined)
  })

  describe('ignition', () => {
    let parameters
    before(async () => {
      parameters = { Coin: { supply: 5n }, All: { unlockTime: BigInt(await time.latest()) + 100_000n } }
    })

    it('deploys a module and resumes it', async () => {
      const { coin, vault, boxed } = await ignition.deploy(all, { parameters })
      assert.equal(await coin.read.totalSupply(), parseEther('5'))
      assert.equal(await publicClient.getBalance({ address: vault.address }), 23n)
      assert.equal(await boxed.read.value(), 42n)
      const again = await ignition.deploy(all, { parameters })
      assert.equal(again.vault.address, vault.address)
    })
  })
})
