module.exports = async ({ getNamedAccounts, deployments }) => {
  const { deployer } = await getNamedAccounts()
  await deployments.deploy('DeterministicBox', {
    contract: 'Box',
    from: deployer,
    deterministicDeployment: true,
  })
}
module.exports.tags = ['deterministic']
