package clients

import (
	"bytes"
	"math/big"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient/gethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

func TestChainAndNetwork(t *testing.T) {
	client, ctx := http(t), soon(t)
	chain, err := client.ChainID(ctx)
	must(t, err)
	network, err := client.NetworkID(ctx)
	must(t, err)
	_, err = client.PeerCount(ctx)
	must(t, err)
	progress, err := client.SyncProgress(ctx)
	must(t, err)
	price, err := client.SuggestGasPrice(ctx)
	must(t, err)
	check(t, chain.Int64() == 33 && network.Int64() == 33 && progress == nil && price.Sign() > 0, "chain", chain)
}

// Hashes of headers and transactions are those of the JSON: the client makes others of the members.
func TestBlocksAndTransactions(t *testing.T) {
	client, ctx := http(t), soon(t)
	_, _, sent := token(t, client)
	receipt, err := client.TransactionReceipt(ctx, sent.Hash())
	must(t, err)
	block, err := client.BlockByNumber(ctx, receipt.BlockNumber)
	must(t, err)
	same, err := client.BlockByHash(ctx, receipt.BlockHash)
	must(t, err)
	check(t, same.Root() == block.Root() && same.NumberU64() == receipt.BlockNumber.Uint64(), "block", same.Number())
	// The last one is that of REMASC.
	check(t, block.Transactions()[0].Hash() == sent.Hash() && len(block.Transactions()) == 2, "transactions", block.Transactions())
	header, err := client.HeaderByNumber(ctx, receipt.BlockNumber)
	must(t, err)
	byHash, err := client.HeaderByHash(ctx, receipt.BlockHash)
	must(t, err)
	check(t, header.Root == byHash.Root && header.Root == block.Root(), "header", header.Root)
	for _, tag := range []rpc.BlockNumber{rpc.LatestBlockNumber, rpc.EarliestBlockNumber, rpc.SafeBlockNumber, rpc.FinalizedBlockNumber} {
		_, err = client.HeaderByNumber(ctx, big.NewInt(int64(tag)))
		must(t, err)
	}
	count, err := client.TransactionCount(ctx, receipt.BlockHash)
	must(t, err)
	check(t, count == 2, "count", count)
	first, err := client.TransactionInBlock(ctx, receipt.BlockHash, 0)
	must(t, err)
	from, err := client.TransactionSender(ctx, first, receipt.BlockHash, 0)
	must(t, err)
	check(t, first.Hash() == sent.Hash() && from == owner, "sender", from)
	found, pending, err := client.TransactionByHash(ctx, sent.Hash())
	must(t, err)
	check(t, !pending && found.Hash() == sent.Hash(), "transaction", found.Hash())
	receipts, err := client.BlockReceipts(ctx, rpc.BlockNumberOrHashWithHash(receipt.BlockHash, false))
	must(t, err)
	check(t, len(receipts) == 2 && receipts[0].TxHash == sent.Hash(), "receipts", len(receipts))
	_, _, err = client.TransactionByHash(ctx, common.Hash{1})
	check(t, err == ethereum.NotFound, "error", err)
	_, err = client.BlockByHash(ctx, common.Hash{1})
	check(t, err == ethereum.NotFound, "error", err)
}

// The header of the pending block lacks what is not known yet, as the reference's (decisions.md D28).
func TestPendingHeaderIsRefusedByTheDecoder(t *testing.T) {
	_, err := http(t).HeaderByNumber(soon(t), big.NewInt(int64(rpc.PendingBlockNumber)))
	check(t, err != nil && err.Error() == "missing required field 'logsBloom' for Header", "error", err)
}

func TestState(t *testing.T) {
	client, ctx := http(t), soon(t)
	address, _, sent := token(t, client)
	receipt, err := client.TransactionReceipt(ctx, sent.Hash())
	must(t, err)
	at, hash := receipt.BlockNumber, receipt.BlockHash
	code, err := client.CodeAt(ctx, address, nil)
	must(t, err)
	codeAt, err := client.CodeAtHash(ctx, address, hash)
	must(t, err)
	codePending, err := client.PendingCodeAt(ctx, address)
	must(t, err)
	check(t, len(code) > 0 && bytes.Equal(code, codeAt) && bytes.Equal(code, codePending), "code", len(code))
	supply := common.BigToHash(big.NewInt(2))
	cell, err := client.StorageAt(ctx, address, supply, at)
	must(t, err)
	cellAt, err := client.StorageAtHash(ctx, address, supply, hash)
	must(t, err)
	cellPending, err := client.PendingStorageAt(ctx, address, supply)
	must(t, err)
	million := common.BigToHash(big.NewInt(1_000_000)).Bytes()
	check(t, bytes.Equal(cell, million) && bytes.Equal(cellAt, million) && bytes.Equal(cellPending, million), "cell", cell)
	nonce, err := client.NonceAt(ctx, owner, nil)
	must(t, err)
	nonceAt, err := client.NonceAtHash(ctx, owner, hash)
	must(t, err)
	noncePending, err := client.PendingNonceAt(ctx, owner)
	must(t, err)
	check(t, nonce == nonceAt && nonce == noncePending && nonce == sent.Nonce()+1, "nonce", nonce)
	funds, err := client.BalanceAt(ctx, owner, at)
	must(t, err)
	fundsAt, err := client.BalanceAtHash(ctx, owner, hash)
	must(t, err)
	fundsPending, err := client.PendingBalanceAt(ctx, owner)
	must(t, err)
	check(t, funds.Cmp(fundsAt) == 0 && funds.Cmp(fundsPending) == 0 && funds.Sign() > 0, "balance", funds)
	_, err = client.PendingTransactionCount(ctx)
	must(t, err)
}

func TestCallsAndEstimates(t *testing.T) {
	client, ctx := http(t), soon(t)
	address, _, sent := token(t, client)
	receipt, err := client.TransactionReceipt(ctx, sent.Hash())
	must(t, err)
	parsed, _ := contract(t, "Token")
	data, err := parsed.Pack("transfer", receiver, big.NewInt(1))
	must(t, err)
	message := ethereum.CallMsg{From: owner, To: &address, Data: data}
	one := common.BigToHash(common.Big1).Bytes()
	for name, call := range map[string]func() ([]byte, error){
		"latest":  func() ([]byte, error) { return client.CallContract(ctx, message, nil) },
		"number":  func() ([]byte, error) { return client.CallContract(ctx, message, receipt.BlockNumber) },
		"hash":    func() ([]byte, error) { return client.CallContractAtHash(ctx, message, receipt.BlockHash) },
		"pending": func() ([]byte, error) { return client.PendingCallContract(ctx, message) },
	} {
		answer, err := call()
		must(t, err)
		check(t, bytes.Equal(answer, one), name, answer)
	}
	gas, err := client.EstimateGas(ctx, message)
	must(t, err)
	gasAt, err := client.EstimateGasAtBlock(ctx, message, receipt.BlockNumber)
	must(t, err)
	gasAtHash, err := client.EstimateGasAtBlockHash(ctx, message, receipt.BlockHash)
	must(t, err)
	check(t, gas > 21_000 && gas == gasAt && gas == gasAtHash, "gas", gas)
}

func TestFeesOfTypeTwoAreUnknown(t *testing.T) {
	client, ctx := http(t), soon(t)
	_, err := client.SuggestGasTipCap(ctx)
	coded, ok := err.(rpc.Error)
	check(t, ok && coded.ErrorCode() == -32601, "tip", err)
	_, err = client.FeeHistory(ctx, 1, nil, nil)
	coded, ok = err.(rpc.Error)
	check(t, ok && coded.ErrorCode() == -32601, "history", err)
}

func TestSendsAndNewHeads(t *testing.T) {
	client, ctx := socket(t), soon(t)
	heads := make(chan *types.Header, 16)
	subscribed, err := client.SubscribeNewHead(ctx, heads)
	must(t, err)
	defer subscribed.Unsubscribe()
	hashes := make(chan common.Hash, 16)
	waiting, err := gethclient.New(client.Client()).SubscribePendingTransactions(ctx, hashes)
	must(t, err)
	defer waiting.Unsubscribe()
	nonce, err := client.PendingNonceAt(ctx, owner)
	must(t, err)
	price, err := client.SuggestGasPrice(ctx)
	must(t, err)
	plain := &types.LegacyTx{Nonce: nonce, To: &receiver, Value: big.NewInt(9), Gas: 21_000, GasPrice: price}
	signed := types.MustSignNewTx(key, types.NewEIP155Signer(big.NewInt(33)), plain)
	must(t, client.SendTransaction(ctx, signed))
	receipt := mined(t, client, signed)
	for seen := 0; seen < 2; {
		select {
		case head := <-heads:
			if head.Number.Cmp(receipt.BlockNumber) == 0 {
				seen++
			}
		case hash := <-hashes:
			if hash == signed.Hash() {
				seen++
			}
		case err := <-subscribed.Err():
			t.Fatal("heads end: ", err)
		case <-time.After(wait):
			t.Fatal("no head or no transaction came")
		}
	}
	again := client.SendTransaction(ctx, signed)
	check(t, again != nil, "the same one again", again)
}

func TestLogs(t *testing.T) {
	client, ctx := socket(t), soon(t)
	address, bound, sent := token(t, client)
	receipt, err := client.TransactionReceipt(ctx, sent.Hash())
	must(t, err)
	query := ethereum.FilterQuery{Addresses: []common.Address{address}}
	logs := make(chan types.Log, 4)
	subscribed, err := client.SubscribeFilterLogs(ctx, query, logs)
	must(t, err)
	defer subscribed.Unsubscribe()
	moved, err := bound.Transact(sender(t, client), "transfer", receiver, big.NewInt(4))
	must(t, err)
	select {
	case log := <-logs:
		check(t, log.TxHash == moved.Hash() && !log.Removed, "log", log)
	case <-time.After(wait):
		t.Fatal("no log came")
	}
	query.FromBlock = receipt.BlockNumber
	found, err := client.FilterLogs(ctx, query)
	must(t, err)
	check(t, len(found) == 2 && found[1].TxHash == moved.Hash(), "logs", len(found))
	found, err = client.FilterLogs(ctx, ethereum.FilterQuery{BlockHash: &receipt.BlockHash, Addresses: query.Addresses})
	must(t, err)
	check(t, len(found) == 1 && found[0].Topics[0] == crypto.Keccak256Hash([]byte("Transfer(address,address,uint256)")), "logs", found)
}

func TestGethClient(t *testing.T) {
	client, ctx := http(t), soon(t)
	geth := gethclient.New(client.Client())
	address, _, _ := token(t, client)
	proof, err := geth.GetProof(ctx, address, []string{"0x2"}, nil)
	must(t, err)
	check(t, proof.Address == address && proof.StorageProof[0].Value.Int64() == 1_000_000, "proof", proof)
	parsed, _ := contract(t, "Token")
	data, err := parsed.Pack("balanceOf", receiver)
	must(t, err)
	message := ethereum.CallMsg{From: owner, To: &address, Data: data}
	list, gas, failure, err := geth.CreateAccessList(ctx, message)
	must(t, err)
	check(t, len(*list) == 0 && gas > 21_000 && failure == "", "list", list)
	cell := crypto.Keccak256Hash(common.LeftPadBytes(receiver.Bytes(), 32), common.BigToHash(big.NewInt(3)).Bytes())
	overrides := map[common.Address]gethclient.OverrideAccount{
		address: {StateDiff: map[common.Hash]common.Hash{cell: common.BigToHash(big.NewInt(99))}},
	}
	answer, err := geth.CallContract(ctx, message, nil, &overrides)
	must(t, err)
	check(t, new(big.Int).SetBytes(answer).Int64() == 99, "overridden", answer)
	// NUMBER, as 32 bytes.
	program := map[common.Address]gethclient.OverrideAccount{receiver: {Code: common.FromHex("435f5260205ff3")}}
	blocks := gethclient.BlockOverrides{Number: big.NewInt(77)}
	answer, err = geth.CallContractWithBlockOverrides(ctx, ethereum.CallMsg{To: &receiver}, nil, &program, blocks)
	must(t, err)
	check(t, new(big.Int).SetBytes(answer).Int64() == 77, "number", answer)
}

// What the client leaves out it writes as null.
func TestNullIsAbsent(t *testing.T) {
	client, ctx := http(t), soon(t)
	geth := gethclient.New(client.Client())
	address, _, _ := token(t, client)
	parsed, _ := contract(t, "Token")
	data, err := parsed.Pack("balanceOf", owner)
	must(t, err)
	message := ethereum.CallMsg{From: owner, To: &address, Data: data}
	expected, err := client.CallContract(ctx, message, nil)
	must(t, err)
	answer, err := geth.CallContract(ctx, message, nil, nil)
	must(t, err)
	check(t, bytes.Equal(answer, expected), "no overrides", answer)
	answer, err = geth.CallContractWithBlockOverrides(ctx, message, nil, nil, gethclient.BlockOverrides{})
	must(t, err)
	check(t, bytes.Equal(answer, expected), "no overrides beside those of the block", answer)
	head, err := client.BlockNumber(ctx)
	must(t, err)
	first, last := new(big.Int).SetUint64(head+1), new(big.Int).SetUint64(head)
	found, err := client.FilterLogs(ctx, ethereum.FilterQuery{FromBlock: first, ToBlock: last})
	must(t, err)
	check(t, len(found) == 0, "no block after the head", found)
}
