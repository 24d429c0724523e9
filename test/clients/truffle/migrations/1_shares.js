const Collection = artifacts.require('Collection')
const Rates = artifacts.require('Rates')
const Shares = artifacts.require('Shares')

module.exports = async (deployer, _network, accounts) => {
  await deployer.deploy(Rates)
  await deployer.link(Rates, Shares)
  await deployer.deploy(Shares, 1000, { from: accounts[0] })
  await deployer.deploy(Collection)
}
