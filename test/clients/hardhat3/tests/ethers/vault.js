// hardhat-ethers with chai matchers, network helpers and ignition.
import { expect } from 'chai'
import { network } from 'hardhat'
import { all } from '../../ignition/all.js'

const { ethers, networkHelpers, ignition } = await network.create()
const { loadFixture, time } = networkHelpers

describe('hardhat-ethers', () => {
  async function vaultFixture() {
    const [owner, other] = await ethers.getSigners()
    const unlockTime = (await time.latest()) + 100_000
    const vault = await ethers.deployContract('Vault', [unlockTime], { value: 1000n })
    return { vault, owner, other, unlockTime }
  }

  async function coinFixture() {
    const libraries = { Scale: await (await ethers.deployContract('Scale')).getAddress() }
    const coin = await ethers.deployContract('Coin', ['Coin', 'CO', 1000n], { libraries })
    return { coin, signers: await ethers.getSigners() }
  }

  it('deploys and reads', async () => {
    const { vault, owner, unlockTime } = await loadFixture(vaultFixture)
    expect(await vault.unlockTime()).to.equal(unlockTime)
    expect(await vault.owner()).to.equal(owner.address)
    expect(await ethers.provider.getBalance(vault)).to.equal(1000n)
  })

  it('matches reverts', async () => {
    const { vault, other, unlockTime } = await loadFixture(vaultFixture)
    await expect(vault.deposit('x')).to.be.revertedWith('nothing to deposit')
    await expect(vault.deposit.staticCall('x')).to.be.revertedWith('nothing to deposit')
    await expect(vault.withdraw())
      .to.be.revertedWithCustomError(vault, 'TooEarly')
      .withArgs(() => true, unlockTime)
    await expect(vault.divide(1, 0)).to.be.revertedWithPanic(0x12)
    await expect(vault.silent()).to.be.revertedWithoutReason(ethers)
    await expect(vault.silent()).to.revert(ethers)
    await expect(ethers.deployContract('Vault', [1])).to.be.revertedWith(
      'Unlock time should be in the future',
    )
    await time.increaseTo(unlockTime)
    await expect(vault.connect(other).withdraw()).to.be.revertedWithCustomError(vault, 'NotOwner')
  })

  it('matches events', async () => {
    const { vault, owner } = await loadFixture(vaultFixture)
    await expect(vault.deposit('a', { value: 5n }))
      .to.emit(vault, 'Deposited')
      .withArgs(owner.address, 5n, 'a')
    expect(await vault.queryFilter(vault.filters.Deposited(owner))).to.have.length(1)
  })

  it('matches changes of balances', async () => {
    const { vault, other } = await loadFixture(vaultFixture)
    await expect(vault.connect(other).deposit('', { value: 9n })).to.changeEtherBalances(
      ethers,
      [other, vault],
      [-9n, 9n],
    )
  })

  it('matches changes of balances of tokens', async () => {
    const { coin, signers } = await loadFixture(coinFixture)
    await expect(coin.transfer(signers[1], 7n)).to.changeTokenBalances(
      ethers,
      coin,
      [signers[0], signers[1]],
      [-7n, 7n],
    )
    await expect(coin.connect(signers[2]).transfer(signers[0], 8n)).to.be.revertedWithCustomError(
      coin,
      'ERC20InsufficientBalance',
    )
  })

  it('sends transactions of its own wallet', async () => {
    const { coin } = await loadFixture(coinFixture)
    const wallet = ethers.Wallet.createRandom(ethers.provider)
    await networkHelpers.setBalance(wallet.address, 10n ** 18n)
    await coin.transfer(wallet, 3n)
    const receipt = await (await coin.connect(wallet).transfer(coin, 3n)).wait()
    expect(receipt.status).to.equal(1)
    expect(await coin.balanceOf(coin)).to.equal(3n)
  })

  it('impersonates, signs', async () => {
    const { coin, signers } = await loadFixture(coinFixture)
    const inside = await ethers.getImpersonatedSigner(`0x${'6d'.repeat(20)}`)
    await networkHelpers.setBalance(inside.address, 10n ** 18n)
    await coin.transfer(inside, 2n)
    await coin.connect(inside).transfer(signers[3], 2n)
    expect(await coin.balanceOf(signers[3])).to.equal(2n)
    expect(ethers.verifyMessage('hello', await signers[0].signMessage('hello'))).to.equal(signers[0].address)
  })

  it('deploys a module of ignition', async () => {
    const parameters = { Coin: { supply: 5n }, All: { unlockTime: BigInt((await time.latest()) + 100_000) } }
    const { coin, vault, boxed } = await ignition.deploy(all, { parameters })
    expect(await coin.totalSupply()).to.equal(5n * 10n ** 18n)
    expect(await ethers.provider.getBalance(vault)).to.equal(23n)
    expect(await boxed.value()).to.equal(42n)
  })
})
