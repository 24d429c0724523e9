// hardhat-viem: clients, deployment, sends, events, reverts.
const { expect } = require('chai')
const hre = require('hardhat')
const { loadFixture, time } = require('@nomicfoundation/hardhat-network-helpers')
const viem = require('viem')

describe('hardhat-viem', () => {
  async function fixture() {
    const [owner, other] = await hre.viem.getWalletClients()
    const publicClient = await hre.viem.getPublicClient()
    const unlockTime = BigInt((await time.latest()) + 100_000)
    const vault = await hre.viem.deployContract('Vault', [unlockTime], { value: 1000n })
    return { vault, owner, other, publicClient, unlockTime }
  }
  const caught = (promise) =>
    promise.then(
      () => expect.fail('was not refused'),
      (error) => error.walk?.((cause) => cause instanceof viem.ContractFunctionRevertedError) ?? error,
    )

  it('deploys and reads', async () => {
    const { vault, owner, publicClient, unlockTime } = await loadFixture(fixture)
    expect(await vault.read.unlockTime()).to.equal(unlockTime)
    expect(await vault.read.owner()).to.equal(viem.getAddress(owner.account.address))
    expect(await publicClient.getBalance({ address: vault.address })).to.equal(1000n)
    expect(await publicClient.getChainId()).to.equal(33)
  })

  it('links libraries', async () => {
    const scale = await hre.viem.deployContract('Scale')
    const coin = await hre.viem.deployContract('Coin', ['Coin', 'CO', 2n], {
      libraries: { Scale: scale.address },
    })
    expect(await coin.read.totalSupply()).to.equal(viem.parseEther('2'))
  })

  it('decodes reasons, custom errors and panics', async () => {
    const { vault, other, unlockTime } = await loadFixture(fixture)
    expect((await caught(vault.write.deposit(['x']))).reason).to.equal('nothing to deposit')
    const early = await caught(vault.write.withdraw())
    expect(early.data.errorName).to.equal('TooEarly')
    expect(early.data.args[1]).to.equal(unlockTime)
    expect((await caught(vault.read.divide([1n, 0n]))).reason).to.include('Division')
    expect((await caught(vault.simulate.withdraw())).data.errorName).to.equal('TooEarly')
    await time.increaseTo(unlockTime)
    expect((await caught(vault.write.withdraw({ account: other.account }))).data.errorName).to.equal(
      'NotOwner',
    )
  })

  it('sends with another account, waits and reads events', async () => {
    const { vault, other, publicClient } = await loadFixture(fixture)
    const asOther = await hre.viem.getContractAt('Vault', vault.address, { client: { wallet: other } })
    const hash = await asOther.write.deposit(['by viem'], { value: 3n })
    const receipt = await publicClient.waitForTransactionReceipt({ hash })
    expect(receipt.status).to.equal('success')
    const [event] = await vault.getEvents.Deposited({ from: other.account.address })
    expect(event.args).to.deep.equal({
      from: viem.getAddress(other.account.address),
      amount: 3n,
      note: 'by viem',
    })
    const [decoded] = viem.parseEventLogs({ abi: vault.abi, logs: receipt.logs })
    expect(decoded.eventName).to.equal('Deposited')
    expect(await vault.read.allEntries()).to.deep.equal([
      { from: viem.getAddress(other.account.address), amount: 3n, note: 'by viem' },
    ])
  })

  it('watches events', async () => {
    const { vault } = await loadFixture(fixture)
    const logs = []
    const stop = vault.watchEvent.Deposited(
      {},
      { onLogs: (found) => logs.push(...found), pollingInterval: 50 },
    )
    await new Promise((resolve) => setTimeout(resolve, 500))
    await vault.write.deposit(['watched'], { value: 1n })
    for (let i = 0; i < 100 && logs.length === 0; i += 1)
      await new Promise((resolve) => setTimeout(resolve, 50))
    stop()
    expect(logs.map((log) => log.args.note)).to.deep.equal(['watched'])
  })

  it('asks many things at once', async () => {
    const { vault, publicClient } = await loadFixture(fixture)
    const results = await Promise.all([
      publicClient.getBlockNumber(),
      publicClient.getGasPrice(),
      vault.read.owner(),
    ])
    expect(results[0]).to.be.greaterThan(0n)
    expect(typeof results[1]).to.equal('bigint')
  })

  it('has a test client', async () => {
    const testClient = await hre.viem.getTestClient()
    const publicClient = await hre.viem.getPublicClient()
    const address = `0x${'6b'.repeat(20)}`
    const balance = await publicClient.getBalance({ address })
    const id = await testClient.snapshot()
    await testClient.setBalance({ address, value: 12n })
    expect(await publicClient.getBalance({ address })).to.equal(12n)
    await testClient.revert({ id })
    expect(await publicClient.getBalance({ address })).to.equal(balance)
    const before = await publicClient.getBlockNumber({ cacheTime: 0 })
    await testClient.mine({ blocks: 3 })
    expect(await publicClient.getBlockNumber({ cacheTime: 0 })).to.equal(before + 3n)
    await testClient.impersonateAccount({ address })
    await testClient.setBalance({ address, value: viem.parseEther('1') })
    const wallet = await hre.viem.getWalletClient(address)
    const hash = await wallet.sendTransaction({ to: `0x${'6c'.repeat(20)}`, value: 1n })
    expect((await publicClient.waitForTransactionReceipt({ hash })).from).to.equal(address)
  })

  it('signs typed data', async () => {
    const [owner] = await hre.viem.getWalletClients()
    const typed = {
      domain: { name: 'Test', chainId: 33 },
      types: { Mail: [{ name: 'text', type: 'string' }] },
      primaryType: 'Mail',
      message: { text: 'hello' },
    }
    const signature = await owner.signTypedData({ account: owner.account.address, ...typed })
    expect(await viem.verifyTypedData({ address: owner.account.address, signature, ...typed })).to.equal(true)
  })
})
