// hardhat-toolbox with ethers: deployment, sends, events, reverts, balances, libraries, permits.
const { expect } = require('chai')
const { ethers, network } = require('hardhat')
const { anyValue } = require('@nomicfoundation/hardhat-chai-matchers/withArgs')
const { PANIC_CODES } = require('@nomicfoundation/hardhat-chai-matchers/panic')
const {
  loadFixture,
  time,
  mine,
  setBalance,
  setCode,
  setStorageAt,
  getStorageAt,
} = require('@nomicfoundation/hardhat-network-helpers')

const YEAR = 365 * 24 * 3600

describe('hardhat-toolbox', () => {
  async function deployVault() {
    const [owner, other] = await ethers.getSigners()
    const unlockTime = (await time.latest()) + YEAR
    const vault = await ethers.deployContract('Vault', [unlockTime], { value: 1000n })
    await vault.waitForDeployment()
    return { vault, owner, other, unlockTime }
  }

  async function deployCoin() {
    const scale = await ethers.deployContract('Scale')
    const Coin = await ethers.getContractFactory('Coin', { libraries: { Scale: await scale.getAddress() } })
    const coin = await Coin.deploy('Coin', 'CO', 1000n)
    return { coin, signers: await ethers.getSigners() }
  }

  describe('deployment', () => {
    it('has accounts with funds, and the chain that was asked for', async () => {
      const signers = await ethers.getSigners()
      expect(signers.length).to.be.greaterThan(4)
      expect(await ethers.provider.getBalance(signers[0])).to.be.greaterThan(10n ** 18n)
      expect((await ethers.provider.getNetwork()).chainId).to.equal(33n)
      expect(network.name).to.equal('rhizome')
    })

    it('stores what the constructor was given', async () => {
      const { vault, owner, unlockTime } = await loadFixture(deployVault)
      expect(await vault.unlockTime()).to.equal(unlockTime)
      expect(await vault.owner()).to.equal(owner.address)
      expect(await ethers.provider.getBalance(vault)).to.equal(1000n)
      const receipt = await vault.deploymentTransaction().wait()
      expect(receipt.contractAddress).to.equal(await vault.getAddress())
      expect(receipt.status).to.equal(1)
    })

    it('fails with the reason of the constructor', async () => {
      const Vault = await ethers.getContractFactory('Vault')
      await expect(Vault.deploy(1)).to.be.revertedWith('Unlock time should be in the future')
    })

    it('refuses a payment to a constructor that takes none', async () => {
      const Box = await ethers.getContractFactory('Box')
      const unpayable = new ethers.ContractFactory(['constructor() payable'], Box.bytecode, Box.runner)
      await expect(unpayable.deploy({ value: 1n })).to.be.revertedWithoutReason()
    })

    it('links libraries', async () => {
      const { coin, signers } = await loadFixture(deployCoin)
      expect(await coin.balanceOf(signers[0])).to.equal(ethers.parseEther('1000'))
    })

    it('foretells addresses by nonce and by salt', async () => {
      const [owner] = await ethers.getSigners()
      const from = owner.address
      const nonce = await owner.getNonce()
      const box = await ethers.deployContract('Box')
      expect(await box.getAddress()).to.equal(ethers.getCreateAddress({ from, nonce }))
    })
  })

  describe('reverts of sends and calls', () => {
    it('reasons', async () => {
      const { vault } = await loadFixture(deployVault)
      await expect(vault.deposit('x')).to.be.revertedWith('nothing to deposit')
      await expect(vault.deposit.staticCall('x')).to.be.revertedWith('nothing to deposit')
      await expect(vault.deposit.estimateGas('x')).to.be.revertedWith('nothing to deposit')
      await expect(vault.deposit('x')).to.be.reverted
    })

    it('custom errors with arguments', async () => {
      const { vault, other, unlockTime } = await loadFixture(deployVault)
      await expect(vault.withdraw())
        .to.be.revertedWithCustomError(vault, 'TooEarly')
        .withArgs(anyValue, unlockTime)
      await time.increaseTo(unlockTime)
      await expect(vault.connect(other).withdraw())
        .to.be.revertedWithCustomError(vault, 'NotOwner')
        .withArgs()
      await expect(vault.withdraw()).not.to.be.reverted
    })

    it('panics', async () => {
      const { vault } = await loadFixture(deployVault)
      await expect(vault.divide(1, 0)).to.be.revertedWithPanic(PANIC_CODES.DIVISION_BY_ZERO)
      await expect(vault.entry(9)).to.be.revertedWithPanic(PANIC_CODES.ARRAY_ACCESS_OUT_OF_BOUNDS)
    })

    it('without a reason', async () => {
      const { vault } = await loadFixture(deployVault)
      await expect(vault.silent()).to.be.revertedWithoutReason()
      await expect(vault.invalid()).to.be.rejected
    })

    it('ethers decodes them by itself', async () => {
      const { vault } = await loadFixture(deployVault)
      const thrown = await vault.withdraw.staticCall().catch((error) => error)
      expect(vault.interface.parseError(thrown.data).name).to.equal('TooEarly')
      // A provider of ethers instead of the one that Hardhat wraps.
      const provider = new ethers.JsonRpcProvider(network.config.url, undefined, { staticNetwork: true })
      const plain = vault.connect(provider)
      const [reason, custom, panic] = await Promise.all(
        [plain.deposit.staticCall('x'), plain.withdraw.staticCall(), plain.divide(1, 0)].map((call) =>
          call.catch((error) => error),
        ),
      )
      expect(reason).to.include({ code: 'CALL_EXCEPTION', reason: 'nothing to deposit' })
      expect(custom.revert.name).to.equal('TooEarly')
      expect(panic.reason).to.include('DIVIDE_BY_ZERO')
      provider.destroy()
    })

    it('a transaction that is mined and fails is answered with its reason, as by the node of Hardhat', async () => {
      const { vault } = await loadFixture(deployVault)
      await expect(vault.withdraw({ gasLimit: 100_000 })).to.be.revertedWithCustomError(vault, 'TooEarly')
      const { transactions } = await ethers.provider.getBlock('latest')
      expect((await ethers.provider.getTransactionReceipt(transactions[0])).status).to.equal(0)
    })
  })

  describe('events and balances', () => {
    it('emit with arguments', async () => {
      const { vault, owner } = await loadFixture(deployVault)
      await expect(vault.deposit('note', { value: 5n }))
        .to.emit(vault, 'Deposited')
        .withArgs(owner.address, 5n, 'note')
      await expect(vault.deposit('note', { value: 5n })).not.to.emit(vault, 'Withdrawn')
    })

    it('queries by topic and by range', async () => {
      const { vault, owner, other } = await loadFixture(deployVault)
      await vault.deposit('a', { value: 1n })
      const second = await (await vault.connect(other).deposit('b', { value: 2n })).wait()
      expect(await vault.queryFilter(vault.filters.Deposited())).to.have.length(2)
      const [log] = await vault.queryFilter(vault.filters.Deposited(other), second.blockNumber)
      expect(log.args.toArray()).to.deep.equal([other.address, 2n, 'b'])
      expect(await vault.queryFilter(vault.filters.Deposited(owner), second.blockNumber)).to.have.length(0)
      const logs = await ethers.provider.getLogs({ address: vault, blockHash: second.blockHash })
      expect(logs).to.have.length(1)
    })

    it('changes of balances, fees counted', async () => {
      const { vault, owner, other, unlockTime } = await loadFixture(deployVault)
      await expect(vault.connect(other).deposit('', { value: 9n })).to.changeEtherBalances(
        [other, vault],
        [-9n, 9n],
      )
      await time.increaseTo(unlockTime)
      await expect(vault.withdraw()).to.changeEtherBalance(owner, 1009n)
      await expect(other.sendTransaction({ to: vault, value: 3n })).to.changeEtherBalance(other, -3n)
      await expect(other.sendTransaction({ to: owner, value: 3n })).to.changeEtherBalance(other, -3n, {
        includeFee: false,
      })
    })

    it('changes of token balances', async () => {
      const { coin, signers } = await loadFixture(deployCoin)
      const [from, to] = signers
      await expect(coin.transfer(to, 7n)).to.changeTokenBalances(coin, [from, to], [-7n, 7n])
      await expect(coin.connect(to).transfer(from, 8n))
        .to.be.revertedWithCustomError(coin, 'ERC20InsufficientBalance')
        .withArgs(to.address, 7n, 8n)
    })

    it('listens', async () => {
      const { vault, owner } = await loadFixture(deployVault)
      const provider = new ethers.JsonRpcProvider(network.config.url, undefined, {
        staticNetwork: true,
        pollingInterval: 50,
      })
      const listened = vault.connect(provider)
      const heard = new Promise((resolve) => listened.once('Deposited', (...args) => resolve(args)))
      // The filter must be there before the event.
      await listened.listenerCount()
      await new Promise((resolve) => setTimeout(resolve, 500))
      await vault.deposit('heard', { value: 1n })
      const [from, amount, note, payload] = await heard
      expect([from, amount, note]).to.deep.equal([owner.address, 1n, 'heard'])
      expect(payload.log.address).to.equal(await vault.getAddress())
      provider.destroy()
    })
  })

  describe('accounts', () => {
    it('a permit signed by an account of the node', async () => {
      const { coin, signers } = await loadFixture(deployCoin)
      const [owner, spender] = signers
      const { name, version, chainId, verifyingContract } = await coin.eip712Domain()
      const types = {
        Permit: [
          'owner address',
          'spender address',
          'value uint256',
          'nonce uint256',
          'deadline uint256',
        ].map((field) => {
          const [fieldName, type] = field.split(' ')
          return { name: fieldName, type }
        }),
      }
      const deadline = (await time.latest()) + 1000
      const value = { owner: owner.address, spender: spender.address, value: 5n, nonce: 0n, deadline }
      const signature = await owner.signTypedData({ name, version, chainId, verifyingContract }, types, value)
      const { v, r, s } = ethers.Signature.from(signature)
      await coin.connect(spender).permit(owner, spender, 5n, deadline, v, r, s)
      expect(await coin.allowance(owner, spender)).to.equal(5n)
    })

    it('signs messages', async () => {
      const [owner] = await ethers.getSigners()
      expect(ethers.verifyMessage('hello', await owner.signMessage('hello'))).to.equal(owner.address)
    })

    it('a wallet of its own key sends signed transactions, many at once', async () => {
      const { coin, signers } = await loadFixture(deployCoin)
      const wallet = ethers.Wallet.createRandom(ethers.provider)
      await setBalance(wallet.address, 10n ** 18n)
      await coin.transfer(wallet, 100n)
      const mine = coin.connect(wallet)
      const first = await wallet.getNonce()
      const sent = []
      for (let i = 0; i < 10; i += 1)
        sent.push(await mine.transfer(signers[2], 1n, { nonce: first + i, type: 0 }))
      await Promise.all(sent.map((transaction) => transaction.wait()))
      expect(await coin.balanceOf(signers[2])).to.equal(10n)
      expect(await wallet.getNonce()).to.equal(first + 10)
      expect(await wallet.getNonce('pending')).to.equal(first + 10)
    })

    it('a wallet without a type in its transactions', async () => {
      const [, other] = await ethers.getSigners()
      const wallet = ethers.Wallet.createRandom(ethers.provider)
      await setBalance(wallet.address, 10n ** 18n)
      const receipt = await (await wallet.sendTransaction({ to: other, value: 1n })).wait()
      expect(receipt.type).to.equal(0)
    })

    it('too little money is told as such', async () => {
      const provider = new ethers.JsonRpcProvider(network.config.url, undefined, { staticNetwork: true })
      const poor = ethers.Wallet.createRandom(provider)
      const [, other] = await ethers.getSigners()
      const thrown = await poor
        .sendTransaction({ to: other.address, value: 1n, gasLimit: 21000 })
        .catch((error) => error)
      expect(thrown.code).to.equal('INSUFFICIENT_FUNDS')
      provider.destroy()
    })

    it('impersonates', async () => {
      const { coin, signers } = await loadFixture(deployCoin)
      const vault = await ethers.deployContract('Vault', [(await time.latest()) + YEAR])
      await setBalance(await vault.getAddress(), 10n ** 18n)
      await coin.transfer(vault, 4n)
      const inside = await ethers.getImpersonatedSigner(await vault.getAddress())
      await coin.connect(inside).transfer(signers[3], 4n)
      expect(await coin.balanceOf(signers[3])).to.equal(4n)
    })
  })

  describe('chain', () => {
    it('moves time and blocks', async () => {
      const before = await ethers.provider.getBlock('latest')
      await mine(5, { interval: 10 })
      const after = await ethers.provider.getBlock('latest')
      expect(after.number).to.equal(before.number + 5)
      expect(after.timestamp).to.be.greaterThan(before.timestamp + 40)
      await time.setNextBlockTimestamp(after.timestamp + 77)
      await mine()
      expect(await time.latest()).to.equal(after.timestamp + 77)
    })

    it('edits code and storage', async () => {
      const box = await ethers.deployContract('Box')
      await setStorageAt(await box.getAddress(), 0, 99n)
      expect(await box.value()).to.equal(99n)
      expect(BigInt(await getStorageAt(await box.getAddress(), 0))).to.equal(99n)
      const twin = `0x${'7e'.repeat(20)}`
      await setCode(twin, await ethers.provider.getCode(box))
      expect(await (await ethers.getContractAt('Box', twin)).value()).to.equal(0n)
    })

    it('reads blocks, transactions and receipts', async () => {
      const { vault, owner } = await loadFixture(deployVault)
      const sent = await vault.deposit('', { value: 1n })
      const receipt = await sent.wait()
      const block = await ethers.provider.getBlock(receipt.blockNumber, true)
      expect(block.transactions).to.include(sent.hash)
      expect(block.getPrefetchedTransaction(sent.hash).data).to.equal(sent.data)
      const again = await ethers.provider.getTransaction(sent.hash)
      expect(again.from).to.equal(owner.address)
      expect(await again.confirmations()).to.be.greaterThan(0)
      expect(receipt.cumulativeGasUsed).to.equal(receipt.gasUsed)
      expect(await ethers.provider.getStorage(vault, 0)).to.match(/^0x0{48}[0-9a-f]{16}$/)
      expect(
        await ethers.provider.call({ to: await vault.getAddress(), data: '0x8da5cb5b', blockTag: 'pending' }),
      ).to.equal(ethers.zeroPadValue(owner.address, 32).toLowerCase())
      const fees = await ethers.provider.getFeeData()
      expect(fees.maxFeePerGas).to.equal(null)
    })

    it('runs out of gas in a large call, and not in a small one', async () => {
      const { vault } = await loadFixture(deployVault)
      await expect(vault.burn(20_000)).to.be.rejected
      await (await vault.burn(50)).wait()
      expect(await vault.deposits(`0x${'0'.repeat(38)}32`)).to.equal(50n)
    })
  })
})
