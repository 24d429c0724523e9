import type { DeployFunction } from 'hardhat-deploy/types'

const deployTokens: DeployFunction = async ({ deployments, getNamedAccounts }) => {
  const { deployer, owner } = await getNamedAccounts()
  await deployments.deploy('Fungible', { from: deployer, args: [1_000_000, owner], log: true })
  await deployments.deploy('Collectible', { from: deployer, args: ['ipfs://base/', owner], log: true })
  await deployments.deploy('Items', { from: deployer, args: ['ipfs://items/{id}', owner], log: true })
}
deployTokens.tags = ['tokens']

// biome-ignore lint/style/noDefaultExport: hardhat-deploy asks for it.
export default deployTokens
