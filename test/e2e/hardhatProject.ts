/** The test file of a Hardhat project, as its own runner reads it. */
export const HARDHAT_TESTS = `
const assert = require('node:assert')
const { ethers, network } = require('hardhat')
const rpc = (method, ...params) => network.provider.send(method, params)
const somebody = '0x' + '5a'.repeat(20)
const elsewhere = '0x' + '5b'.repeat(20)

describe('a project on Rhizome', () => {
  let owner, token, failures
  before(async () => {
    ;[owner] = await ethers.getSigners()
    token = await ethers.deployContract('Token', [1000n])
    await token.waitForDeployment()
    failures = await ethers.deployContract('Failures')
    await failures.waitForDeployment()
  })

  it('deploys', async () => {
    assert.equal(await token.totalSupply(), 1000n)
    assert.equal(await token.balanceOf(owner.address), 1000n)
  })

  it('sends, and finds the log', async () => {
    const receipt = await (await token.transfer(somebody, 10n)).wait()
    assert.equal(receipt.status, 1)
    assert.equal(token.interface.parseLog(receipt.logs[0]).args.value, 10n)
    const [found, ...others] = await token.queryFilter(token.filters.Transfer(null, somebody))
    assert.deepEqual(others, [])
    assert.equal(found.transactionHash, receipt.hash)
    assert.equal(found.removed, false)
  })

  it('decodes failures', async () => {
    await assert.rejects(failures.withReason.staticCall('it is closed'), /it is closed/)
    await assert.rejects(failures.withError.staticCall(3n, 'no'), (error) => {
      return failures.interface.parseError(error.data).name === 'Refused'
    })
  })

  it('signs messages', async () => {
    const signature = await owner.signMessage('hello')
    assert.equal(ethers.verifyMessage('hello', signature), owner.address)
  })

  it('goes back to a snapshot', async () => {
    const snapshot = await rpc('evm_snapshot')
    const before = await ethers.provider.getBlockNumber()
    await (await token.transfer(somebody, 500n)).wait()
    assert.equal(await token.balanceOf(somebody), 510n)
    assert.equal(await rpc('evm_revert', snapshot), true)
    assert.equal(await token.balanceOf(somebody), 10n)
    assert.equal(await ethers.provider.getBlockNumber(), before)
    await (await token.transfer(somebody, 1n)).wait()
    assert.equal(await token.balanceOf(somebody), 11n)
  })

  it('sends as somebody whose key nobody has', async () => {
    await rpc('hardhat_impersonateAccount', somebody)
    await rpc('hardhat_setBalance', somebody, '0xde0b6b3a7640000')
    const signer = await ethers.getSigner(somebody)
    const receipt = await (await token.connect(signer).transfer(owner.address, 4n)).wait()
    assert.equal(receipt.from.toLowerCase(), somebody)
    assert.equal(await token.balanceOf(somebody), 7n)
    await rpc('hardhat_stopImpersonatingAccount', somebody)
    await assert.rejects(token.connect(signer).transfer(owner.address, 1n))
  })

  it('mines and moves time', async () => {
    const before = await ethers.provider.getBlock('latest')
    await rpc('evm_increaseTime', 3600)
    await rpc('evm_mine')
    const next = await ethers.provider.getBlock('latest')
    assert.equal(next.number, before.number + 1)
    // Counted from the machine's time, which blocks in quick succession run ahead of.
    assert.ok(next.timestamp > before.timestamp + 3000)
    await rpc('evm_setNextBlockTimestamp', next.timestamp + 500)
    await rpc('hardhat_mine', '0x3')
    assert.equal(await ethers.provider.getBlockNumber(), next.number + 3)
    assert.equal((await ethers.provider.getBlock(next.number + 1)).timestamp, next.timestamp + 500)
  })

  it('edits accounts', async () => {
    const slot = '0x' + '0'.repeat(63) + '2'
    const value = '0x' + (77).toString(16).padStart(64, '0')
    await rpc('hardhat_setStorageAt', await token.getAddress(), '0x2', value)
    assert.equal(await token.totalSupply(), 77n)
    assert.equal(await ethers.provider.getStorage(await token.getAddress(), slot), value)
    await rpc('hardhat_setCode', elsewhere, '0x600160005260206000f3')
    assert.equal(await ethers.provider.call({ to: elsewhere }), '0x' + '1'.padStart(64, '0'))
    await rpc('hardhat_setNonce', somebody, '0x20')
    assert.equal(await ethers.provider.getTransactionCount(somebody), 32)
  })
})
`
