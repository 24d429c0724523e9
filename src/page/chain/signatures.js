/** First topic of the event that tells of a transfer of tokens. */
export const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** Events that everybody knows: name and names of their indexed and other parameters, by first topic. */
export const EVENTS = new Map([
  [TRANSFER, { name: 'Transfer', parties: ['from', 'to'], amount: 'value' }],
  [
    '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925',
    { name: 'Approval', parties: ['owner', 'spender'], amount: 'value' },
  ],
])

/** Functions that everybody knows, by selector. */
export const FUNCTIONS = new Map([
  ['0xa9059cbb', 'transfer(address,uint256)'],
  ['0x095ea7b3', 'approve(address,uint256)'],
  ['0x23b872dd', 'transferFrom(address,address,uint256)'],
  ['0x70a08231', 'balanceOf(address)'],
  ['0x18160ddd', 'totalSupply()'],
  ['0xdd62ed3e', 'allowance(address,address)'],
])
