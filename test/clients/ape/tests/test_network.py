"""A project of ape on a network: accounts, contracts, logs, reverts, time and snapshots."""

import json
import os
import pathlib

import ape
import pytest
from ape.contracts import ContractContainer
from ape.exceptions import APINotImplementedError, ContractLogicError, TransactionError
from ethpm_types import ContractType

SUPPLY = 10**24


def container(name):
    artefact = json.loads((pathlib.Path(os.environ["CONTRACTS"]) / f"{name}.json").read_text())
    bytecode = {"bytecode": artefact["bytecode"]}
    return ContractContainer(ContractType(contractName=name, abi=artefact["abi"], deploymentBytecode=bytecode))


@pytest.fixture(scope="session")
def owner(accounts):
    return accounts[0]


@pytest.fixture(scope="session")
def other(accounts):
    return accounts[1]


@pytest.fixture
def token(owner):
    return owner.deploy(container("Token"), SUPPLY)


@pytest.fixture
def failures(owner):
    return owner.deploy(container("Failures"))


def test_the_network_and_its_accounts(chain, owner):
    assert chain.provider.chain_id == 33
    assert owner.address == "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
    assert owner.balance > 0


def test_a_transfer(owner, other):
    before = other.balance
    receipt = owner.transfer(other, 5)
    assert receipt.status == 1
    assert other.balance == before + 5


def test_a_deployment_its_calls_and_its_transactions(token, owner, other):
    assert token.totalSupply() == SUPPLY
    token.transfer(other, 7, sender=owner)
    assert token.balanceOf(other) == 7


def test_logs_of_a_receipt_and_of_a_range(token, owner, other):
    receipt = token.transfer(other, 7, sender=owner)
    (log,) = receipt.decode_logs(token.Transfer)
    assert [log.event_arguments[name] for name in log.event_arguments][-1] == 7
    found = [log for log in token.Transfer.range(receipt.block_number, receipt.block_number + 1)]
    assert [log.transaction_hash for log in found] == [receipt.txn_hash]


def test_reasons(failures, owner):
    with ape.reverts("not today"):
        failures.withReason("not today", sender=owner)


def test_custom_errors(failures, owner):
    with pytest.raises(ContractLogicError):
        failures.withError(7, "why", sender=owner)


def test_a_failure_that_is_mined(failures, owner):
    with pytest.raises((ContractLogicError, TransactionError)):
        failures.withReason("mined", sender=owner, gas=200_000)


def test_blocks(chain, owner, other):
    height = chain.blocks.height
    receipt = owner.transfer(other, 1)
    assert chain.blocks.height == height + 1
    assert chain.blocks[-1].number == receipt.block_number
    assert chain.blocks.head.timestamp >= chain.blocks[-2].timestamp


def test_snapshots_are_not_asked_for(chain):
    """Its provider for nodes that it did not start has none, whatever the node can."""
    with pytest.raises(APINotImplementedError):
        chain.snapshot()


def test_traces(token, owner, other):
    receipt = token.transfer(other, 7, sender=owner)
    assert "transfer" in repr(receipt.trace)
