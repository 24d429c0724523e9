module.exports = async ({ getNamedAccounts, deployments }) => {
  const { deployer } = await getNamedAccounts()
  const scale = await deployments.deploy('Scale', { from: deployer })
  await deployments.deploy('Coin', {
    from: deployer,
    args: ['Deployed', 'DEP', 500],
    libraries: { Scale: scale.address },
  })
}
module.exports.tags = ['coin']
