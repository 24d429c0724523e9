// hardhat-deploy: scripts with tags, libraries, proxies and their upgrade, execute, read, fixtures.
const { expect } = require('chai')
const { deployments, ethers, getNamedAccounts } = require('hardhat')

describe('hardhat-deploy', () => {
  it('runs the scripts of a tag and those they need', async () => {
    const deployed = await deployments.fixture(['box'])
    expect(Object.keys(deployed)).to.include.members([
      'Scale',
      'Coin',
      'Box',
      'Box_Proxy',
      'Box_Implementation',
    ])
    expect(await deployments.read('Coin', 'symbol')).to.equal('DEP')
    expect((await deployments.read('Box', 'value')).toNumber()).to.equal(42)
  })

  it('keeps what did not change, upgrades what did', async () => {
    await deployments.fixture(['box'])
    const { deployer, user } = await getNamedAccounts()
    const before = await deployments.get('Box')
    const args = ['Deployed', 'DEP', 500]
    const libraries = { Scale: (await deployments.get('Scale')).address }
    expect((await deployments.deploy('Coin', { from: deployer, args, libraries })).newlyDeployed).to.equal(
      false,
    )
    await deployments.deploy('Box', {
      from: user,
      contract: 'BoxV2',
      proxy: { owner: user, proxyContract: 'OpenZeppelinTransparentProxy' },
    })
    const after = await deployments.get('Box')
    expect(after.address).to.equal(before.address)
    await deployments.execute('Box', { from: deployer }, 'increment')
    expect((await deployments.read('Box', 'value')).toNumber()).to.equal(43)
  })

  it('makes fixtures of its own', async () => {
    const setup = deployments.createFixture(async () => {
      await deployments.fixture(['coin'])
      const coin = await ethers.getContractAt('Coin', (await deployments.get('Coin')).address)
      return { coin }
    })
    const { deployer, user } = await getNamedAccounts()
    for (let round = 0; round < 2; round += 1) {
      const { coin } = await setup()
      expect(await coin.balanceOf(user)).to.equal(0n)
      await coin.transfer(user, 1n)
      expect(await coin.balanceOf(deployer)).to.equal(500n * 10n ** 18n - 1n)
    }
  })

  it('deploys at an address that the code gives', async () => {
    const { DeterministicBox } = await deployments.fixture(['deterministic'])
    const code = await ethers.provider.getCode(DeterministicBox.address)
    expect(code).to.not.equal('0x')
    const { deployer } = await getNamedAccounts()
    const again = await deployments.deterministic('Again', { contract: 'Box', from: deployer })
    expect(again.address).to.equal(DeterministicBox.address)
  })

  it('throws with the reason of a revert', async () => {
    const { deployer } = await getNamedAccounts()
    const thrown = await deployments.deploy('Vault', { from: deployer, args: [1] }).catch((error) => error)
    expect(thrown.message).to.include('Unlock time should be in the future')
  })
})
