// What go-ethereum's clients and bindings do with a node; its address is in NODE_URL.
package clients

import (
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/rpc"
)

var (
	key, _   = crypto.ToECDSA(crypto.Keccak256([]byte("cow")))
	owner    = crypto.PubkeyToAddress(key.PublicKey)
	receiver = common.HexToAddress("0xbeef")
)

const wait = 20 * time.Second

type artefact struct {
	Abi      json.RawMessage `json:"abi"`
	Bytecode string          `json:"bytecode"`
}

func contract(t *testing.T, name string) (abi.ABI, []byte) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "contracts", name+".json"))
	must(t, err)
	var found artefact
	must(t, json.Unmarshal(text, &found))
	parsed, err := abi.JSON(strings.NewReader(string(found.Abi)))
	must(t, err)
	return parsed, common.FromHex(found.Bytecode)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, holds bool, what string, found any) {
	t.Helper()
	if !holds {
		t.Errorf("%s: %v", what, found)
	}
}

func soon(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	t.Cleanup(cancel)
	return ctx
}

func dial(t *testing.T, url string) *ethclient.Client {
	t.Helper()
	client, err := ethclient.Dial(url)
	must(t, err)
	t.Cleanup(client.Close)
	return client
}

func http(t *testing.T) *ethclient.Client { return dial(t, os.Getenv("NODE_URL")) }
func socket(t *testing.T) *ethclient.Client {
	return dial(t, strings.Replace(os.Getenv("NODE_URL"), "http", "ws", 1))
}

// The options of legacy transactions: the gas price is the node's.
func sender(t *testing.T, client *ethclient.Client) *bind.TransactOpts {
	t.Helper()
	id, err := client.ChainID(soon(t))
	must(t, err)
	options, err := bind.NewKeyedTransactorWithChainID(key, id)
	must(t, err)
	options.GasPrice, err = client.SuggestGasPrice(soon(t))
	must(t, err)
	return options
}

func mined(t *testing.T, client *ethclient.Client, sent *types.Transaction) *types.Receipt {
	t.Helper()
	receipt, err := bind.WaitMined(soon(t), client, sent)
	must(t, err)
	return receipt
}

// A token with a supply of a million, behind block 449, where headers have another form.
func token(t *testing.T, client *ethclient.Client) (common.Address, *bind.BoundContract, *types.Transaction) {
	t.Helper()
	if number, _ := client.BlockNumber(soon(t)); number < 450 {
		must(t, client.Client().CallContext(soon(t), nil, "hardhat_mine", "0x1c8"))
	}
	parsed, code := contract(t, "Token")
	address, sent, bound, err := bind.DeployContract(sender(t, client), parsed, code, client, big.NewInt(1_000_000))
	must(t, err)
	deployed, err := bind.WaitDeployed(soon(t), client, sent)
	must(t, err)
	check(t, deployed == address, "address", deployed)
	return address, bound, sent
}

func balance(t *testing.T, bound *bind.BoundContract, of common.Address, options *bind.CallOpts) *big.Int {
	t.Helper()
	var out []any
	must(t, bound.Call(options, &out, "balanceOf", of))
	return out[0].(*big.Int)
}

func TestBindDeploySendCall(t *testing.T) {
	for _, client := range []*ethclient.Client{http(t), socket(t)} {
		_, bound, _ := token(t, client)
		sent, err := bound.Transact(sender(t, client), "transfer", receiver, big.NewInt(7))
		must(t, err)
		receipt := mined(t, client, sent)
		check(t, receipt.Status == types.ReceiptStatusSuccessful && len(receipt.Logs) == 1, "receipt", receipt)
		check(t, balance(t, bound, receiver, nil).Int64() == 7, "balance", "latest")
		check(t, balance(t, bound, receiver, &bind.CallOpts{Pending: true}).Int64() == 7, "balance", "pending")
		before := new(big.Int).Sub(receipt.BlockNumber, common.Big1)
		check(t, balance(t, bound, receiver, &bind.CallOpts{BlockNumber: before}).Sign() == 0, "balance", "before")
		check(t, balance(t, bound, receiver, &bind.CallOpts{BlockHash: receipt.BlockHash}).Int64() == 7, "balance", "by hash")
	}
}

func TestBindWithoutGasPriceIsLegacy(t *testing.T) {
	client := http(t)
	_, bound, _ := token(t, client)
	options := sender(t, client)
	options.GasPrice = nil
	sent, err := bound.Transact(options, "transfer", receiver, big.NewInt(1))
	must(t, err)
	check(t, sent.Type() == types.LegacyTxType, "type", sent.Type())
	check(t, mined(t, client, sent).Status == 1, "status", sent.Hash())
}

func TestBindSendToAnAccountWithoutCode(t *testing.T) {
	client := http(t)
	parsed, _ := contract(t, "Token")
	bound := bind.NewBoundContract(common.HexToAddress("0x1234567890"), parsed, client, client, client)
	_, err := bound.Transact(sender(t, client), "transfer", receiver, big.NewInt(1))
	check(t, err == bind.ErrNoCode, "error", err)
	err = bound.Call(nil, &[]any{}, "totalSupply")
	check(t, err == bind.ErrNoCode, "error", err)
	err = bound.Call(&bind.CallOpts{Pending: true}, &[]any{}, "totalSupply")
	check(t, err == bind.ErrNoCode, "error of pending", err)
}

func TestBindNoncesInARow(t *testing.T) {
	client := http(t)
	_, bound, _ := token(t, client)
	var last *types.Transaction
	for range 5 {
		sent, err := bound.Transact(sender(t, client), "transfer", receiver, big.NewInt(1))
		must(t, err)
		check(t, last == nil || sent.Nonce() == last.Nonce()+1, "nonce", sent.Nonce())
		last = sent
	}
	mined(t, client, last)
	check(t, balance(t, bound, receiver, nil).Int64() == 5, "balance", "after five")
}

func TestBindFiltersAndWatchesLogs(t *testing.T) {
	client := socket(t)
	address, bound, sent := token(t, client)
	watched, watching, err := bound.WatchLogs(nil, "Transfer", nil, []any{receiver})
	must(t, err)
	defer watching.Unsubscribe()
	moved, err := bound.Transact(sender(t, client), "transfer", receiver, big.NewInt(3))
	must(t, err)
	select {
	case log := <-watched:
		check(t, log.TxHash == moved.Hash() && log.Address == address, "log", log)
		found := map[string]any{}
		must(t, bound.UnpackLogIntoMap(found, "Transfer", log))
		check(t, found["value"].(*big.Int).Int64() == 3, "value", found)
	case <-time.After(wait):
		t.Fatal("no log came")
	}
	start := mined(t, client, sent).BlockNumber.Uint64()
	logs, filtering, err := bound.FilterLogs(&bind.FilterOpts{Start: start}, "Transfer", nil, []any{receiver})
	must(t, err)
	defer filtering.Unsubscribe()
	check(t, (<-logs).TxHash == moved.Hash(), "log", "filtered")
}

func TestRevertsSayWhy(t *testing.T) {
	client := http(t)
	parsed, code := contract(t, "Failures")
	_, sent, bound, err := bind.DeployContract(sender(t, client), parsed, code, client)
	must(t, err)
	mined(t, client, sent)
	err = bound.Call(nil, &[]any{}, "withReason", "not today")
	check(t, err != nil && err.Error() == "execution reverted: not today", "error", err)
	coded, ok := err.(rpc.Error)
	check(t, ok && coded.ErrorCode() == 3, "code", err)
	data, ok := ethclient.RevertErrorData(err)
	reason, unpacking := abi.UnpackRevert(data)
	check(t, ok && unpacking == nil && reason == "not today", "reason", reason)
	err = bound.Call(nil, &[]any{}, "withError", big.NewInt(7), "why")
	data, _ = ethclient.RevertErrorData(err)
	refused := parsed.Errors["Refused"]
	values, err := refused.Unpack(data)
	must(t, err)
	check(t, values.([]any)[2] == "why", "values", values)
	_, err = bound.Transact(sender(t, client), "caught")
	must(t, err)
	_, err = bound.Transact(sender(t, client), "countAndRefuse")
	check(t, err != nil && strings.Contains(err.Error(), "execution reverted"), "estimate", err)
}
