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
  ['0xd0e30db0', 'deposit()'],
  ['0x2e1a7d4d', 'withdraw(uint256)'],
  // What federation members and users send to the Bridge.
  ['0xe5400e7b', 'receiveHeaders(bytes[])'],
  ['0x884bdd86', 'receiveHeader(bytes)'],
  ['0xccf417ae', 'registerBtcCoinbaseTransaction(bytes,bytes32,bytes,bytes32,bytes32)'],
  ['0x43dc0656', 'registerBtcTransaction(bytes,int256,bytes)'],
  ['0x6adc0133', 'registerFastBridgeBtcTransaction(bytes,uint256,bytes,bytes32,bytes,address,bytes,bool)'],
  ['0x80af2871', 'releaseBtc()'],
  ['0x0c5a9990', 'updateCollections()'],
  ['0xf10b9c59', 'addSignature(bytes,bytes[],bytes)'],
  ['0x1183d5d1', 'createFederation()'],
  ['0x444ff9da', 'addFederatorPublicKeyMultikey(bytes,bytes,bytes)'],
  ['0x1533330f', 'commitFederation(bytes)'],
  ['0x8dec3d32', 'rollbackFederation()'],
  ['0x0461313e', 'voteFeePerKbChange(int256)'],
  ['0x2910aeb2', 'increaseLockingCap(int256)'],
])
