const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules')

const coin = buildModule('Coin', (m) => {
  const scale = m.library('Scale')
  return {
    scale,
    coin: m.contract('Coin', ['Coin', 'CO', m.getParameter('supply', 1000n)], {
      libraries: { Scale: scale },
    }),
  }
})

module.exports = buildModule('All', (m) => {
  const { coin: token } = m.useModule(coin)
  const vault = m.contract('Vault', [m.getParameter('unlockTime')], { value: 5n })
  const deposit = m.call(vault, 'deposit', ['by ignition'], { value: 7n })
  const from = m.readEventArgument(deposit, 'Deposited', 'from')
  const transfer = m.call(token, 'transfer', [from, 1n], { after: [deposit] })
  const balance = m.staticCall(token, 'balanceOf', [m.getAccount(0)], 0, { after: [transfer] })
  m.call(token, 'approve', [vault, balance])
  m.send('gift', vault, 11n)

  const box = m.contract('BoxV2')
  const proxy = m.contract('TransparentUpgradeableProxy', [
    box,
    m.getAccount(0),
    m.encodeFunctionCall(box, 'store', [1n]),
  ])
  const boxed = m.contractAt('BoxV2', proxy, { id: 'Boxed' })
  const stored = m.call(boxed, 'store', [41n])
  m.call(boxed, 'increment', [], { after: [stored] })
  return { coin: token, vault, boxed }
})
