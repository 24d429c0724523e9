// hardhat-ignition: a deployment with libraries, calls, events, proxies; resumed, and refused where it reverts.
const { rmSync } = require('node:fs')
const { join } = require('node:path')
const { expect } = require('chai')
const hre = require('hardhat')
const { time } = require('@nomicfoundation/hardhat-network-helpers')
const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules')
const All = require('../ignition/modules/all.js')

const parameters = async () => ({
  Coin: { supply: 5n },
  All: { unlockTime: BigInt((await time.latest()) + 100_000) },
})

describe('hardhat-ignition', () => {
  // Deployments are remembered in files; each test is on a chain that has none.
  beforeEach(() => rmSync(join(hre.config.paths.ignition, 'deployments'), { recursive: true, force: true }))

  it('deploys with ethers', async () => {
    const { coin, vault, boxed } = await hre.ignition.deploy(All, { parameters: await parameters() })
    const [deployer] = await hre.ethers.getSigners()
    expect(await coin.totalSupply()).to.equal(5n * 10n ** 18n)
    expect(await coin.allowance(deployer, vault)).to.equal(5n * 10n ** 18n)
    expect(await hre.ethers.provider.getBalance(vault)).to.equal(23n)
    expect((await vault.entry(0)).note).to.equal('by ignition')
    expect(await boxed.value()).to.equal(42n)
  })

  it('goes on where a deployment ended', async () => {
    const first = buildModule('Boxes', (m) => ({ box: m.contract('Box') }))
    const { box } = await hre.ignition.deploy(first)
    const more = buildModule('Boxes', (m) => {
      const known = m.contract('Box')
      m.call(known, 'store', [3n])
      return { box: known }
    })
    const { box: again } = await hre.ignition.deploy(more)
    expect(await again.getAddress()).to.equal(await box.getAddress())
    expect(await box.value()).to.equal(3n)
  })

  it('stops at a constructor that reverts', async () => {
    const Late = buildModule('Late', (m) => ({ vault: m.contract('Vault', [1n]) }))
    const thrown = await hre.ignition.deploy(Late).catch((error) => error)
    expect(thrown.message).to.include('Unlock time should be in the future')
  })

  it('stops at a call with a custom error', async () => {
    const unlockTime = BigInt((await time.latest()) + 100_000)
    const Early = buildModule('Early', (m) => {
      const vault = m.contract('Vault', [unlockTime])
      m.call(vault, 'withdraw')
      return { vault }
    })
    const thrown = await hre.ignition.deploy(Early).catch((error) => error)
    expect(thrown.message).to.include('TooEarly')
  })
})
