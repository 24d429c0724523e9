module.exports = async ({ getNamedAccounts, deployments }) => {
  const { deployer, user } = await getNamedAccounts()
  await deployments.deploy('Box', {
    from: deployer,
    proxy: { owner: user, proxyContract: 'OpenZeppelinTransparentProxy' },
  })
  await deployments.execute('Box', { from: deployer }, 'store', 42)
}
module.exports.tags = ['box']
module.exports.dependencies = ['coin']
