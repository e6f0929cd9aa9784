"""The table of JSON-RPC methods: the name of each, and its function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from chain.rpc import discovery
from chain.rpc.chain import (
    contracts,
    entry_calls,
    package,
    receipts,
    remote,
    sql,
    storage,
)
from chain.rpc.control import account_state, mining, reorganization, state_dump, tokens, txpool
from chain.rpc.debug import debug_traces, encodings
from chain.rpc.eth import (
    accounts,
    blocks,
    calls,
    fees,
    filters,
    node_info,
    signatures,
    simulate,
    subscriptions,
    transactions,
)
from chain.rpc.node import Node
from chain.rpc.trace import otterscan, traces
from chain.simulator.chain import Chain

# Methods with the same name in anvil and hardhat: `anvil_setBalance`, `hardhat_setBalance`.
_BOTH: Final[Mapping[str, Callable[..., object]]] = {
    "setBalance": account_state.set_balance,
    "addBalance": account_state.add_balance,
    "setNonce": account_state.set_nonce,
    "setCode": account_state.set_code,
    "setStorageAt": account_state.set_storage_at,
    "impersonateAccount": account_state.impersonate,
    "stopImpersonatingAccount": account_state.stop_impersonating,
    "autoImpersonateAccount": account_state.impersonate_all,
    "setPrevRandao": account_state.set_prevrandao,
    "setCoinbase": account_state.set_coinbase,
    "setNextBlockBaseFeePerGas": account_state.set_base_fee,
    "setChainId": account_state.set_chain_id,
    "setBlockGasLimit": account_state.set_gas_limit,
    "setLoggingEnabled": account_state.set_logging,
    "setRpcUrl": account_state.set_rpc_url,
    "setMinGasPrice": account_state.set_min_gas_price,
    "mine": mining.mine_with_interval,
    "mine_detailed": mining.mine_detailed,
    "setAutomine": mining.set_automine,
    "getAutomine": mining.get_automine,
    "setIntervalMining": mining.set_interval_mining,
    "getIntervalMining": mining.get_interval_mining,
    "increaseTime": mining.increase_time,
    "setTime": mining.set_clock,
    "setNextBlockTimestamp": mining.set_next_timestamp,
    "setBlockTimestampInterval": mining.set_block_interval,
    "removeBlockTimestampInterval": mining.remove_block_interval,
    "snapshot": mining.snapshot,
    "revert": mining.revert,
    "rollback": mining.rollback,
    "reset": mining.reset,
    "reorg": reorganization.reorganize,
    "dealERC20": tokens.deal,
    "setERC20Allowance": tokens.allow,
    "dropTransaction": txpool.drop,
    "dropAllTransactions": txpool.drop_all,
    "removePoolTransactions": txpool.drop_sender,
    "dumpState": state_dump.dump_state,
    "loadState": state_dump.load_state,
    "nodeInfo": node_info.node_info,
    "metadata": node_info.metadata,
}

# Methods that run contracts, for as long as their gas lasts. These are read-only …
READ_ONLY_CALLS: Final[frozenset[Callable[..., object]]] = frozenset(
    {
        calls.call,
        calls.estimate_gas,
        transactions.fill_transaction,
        simulate.simulate,
        debug_traces.create_access_list,
        debug_traces.trace_transaction,
        debug_traces.trace_call,
        debug_traces.trace_block,
        debug_traces.trace,
        debug_traces.trace_unsent_call,
        traces.transaction,
        traces.get,
        traces.block,
        traces.find,
        traces.replay_transaction,
        traces.replay_block,
        traces.call,
        otterscan.trace_transaction,
        otterscan.internal_operations,
        entry_calls.look,
    }
)
# … these change the chain, and nothing else that the node keeps, by one transaction …
SENDS: Final[frozenset[Callable[..., object]]] = frozenset(
    {
        transactions.send_transaction,
        transactions.send_raw_transaction,
        transactions.send_raw_transaction_sync,
        transactions.send_transaction_sync,
        transactions.send_unsigned,
        entry_calls.send,
        remote.transact,
    }
)
# … and these by running the transactions of the open block again.
RERUNS: Final[frozenset[Callable[..., object]]] = frozenset(
    {
        mining.increase_time,
        mining.set_clock,
        mining.set_next_timestamp,
        mining.time_travel,
        entry_calls.advance,
        entry_calls.set_time,
        account_state.set_prevrandao,
        account_state.set_coinbase,
        account_state.set_base_fee,
        txpool.drop,
        txpool.drop_all,
        txpool.drop_sender,
    }
)
# These change closed blocks, or run a contract and change it: they never run in the node itself.
REWRITES: Final[frozenset[Callable[..., object]]] = frozenset(
    {reorganization.reorganize, tokens.deal, tokens.allow}
)

METHODS: Final[Mapping[str, Callable[..., object]]] = MappingProxyType(
    {
        "web3_clientVersion": node_info.client_version,
        "web3_sha3": node_info.sha3,
        "net_version": node_info.network,
        "eth_networkId": node_info.network,
        "net_listening": node_info.always_true,
        "net_peerCount": node_info.always_zero,
        "eth_chainId": node_info.chain_id,
        "eth_syncing": node_info.always_false,
        "eth_protocolVersion": node_info.protocol_version,
        "eth_mining": node_info.is_mining,
        "eth_hashrate": node_info.always_zero,
        "eth_coinbase": node_info.coinbase,
        # accounts
        "eth_accounts": accounts.accounts,
        "eth_requestAccounts": accounts.accounts,
        "eth_getBalance": accounts.get_balance,
        "eth_getTransactionCount": accounts.get_transaction_count,
        "eth_getCode": accounts.get_code,
        "eth_getStorageAt": accounts.get_storage_at,
        "eth_getStorageValues": accounts.get_storage_values,
        "eth_getAccountInfo": accounts.get_account_info,
        "eth_getProof": accounts.get_proof,
        # blocks
        "eth_blockNumber": blocks.block_number,
        "eth_getBlockByNumber": blocks.get_block,
        "eth_getBlockByHash": blocks.get_block,
        "eth_getHeaderByNumber": blocks.get_header,
        "eth_getHeaderByHash": blocks.get_header,
        "eth_getBlockReceipts": blocks.get_block_receipts,
        "eth_getBlockTransactionCountByNumber": blocks.count_transactions,
        "eth_getBlockTransactionCountByHash": blocks.count_transactions,
        "eth_getUncleCountByBlockNumber": blocks.count_uncles,
        "eth_getUncleCountByBlockHash": blocks.count_uncles,
        "eth_getUncleByBlockNumberAndIndex": blocks.get_uncle,
        "eth_getUncleByBlockHashAndIndex": blocks.get_uncle,
        # transactions
        "eth_getTransactionByHash": transactions.get_transaction,
        "eth_getTransactionByBlockNumberAndIndex": transactions.get_transaction_in,
        "eth_getTransactionByBlockHashAndIndex": transactions.get_transaction_in,
        "eth_getTransactionBySenderAndNonce": transactions.get_transaction_of,
        "eth_getRawTransactionByHash": transactions.get_raw_transaction,
        "eth_getRawTransactionByBlockNumberAndIndex": transactions.get_raw_transaction_in,
        "eth_getRawTransactionByBlockHashAndIndex": transactions.get_raw_transaction_in,
        "eth_getTransactionReceipt": transactions.get_transaction_receipt,
        # fees
        "eth_gasPrice": fees.base_fee,
        "eth_baseFee": fees.base_fee,
        "eth_maxPriorityFeePerGas": fees.max_priority_fee,
        "eth_config": node_info.fork_config,
        "eth_capabilities": node_info.capabilities,
        "eth_blobBaseFee": fees.blob_base_fee,
        "eth_feeHistory": fees.fee_history,
        # running
        "eth_call": calls.call,
        "eth_estimateGas": calls.estimate_gas,
        "eth_simulateV1": simulate.simulate,
        "eth_sendTransaction": transactions.send_transaction,
        "eth_sendTransactionSync": transactions.send_transaction_sync,
        "eth_sendRawTransaction": transactions.send_raw_transaction,
        "eth_sendRawTransactionSync": transactions.send_raw_transaction_sync,
        "eth_signTransaction": transactions.sign_transaction,
        "eth_fillTransaction": transactions.fill_transaction,
        "eth_createAccessList": debug_traces.create_access_list,
        # traces
        "debug_traceTransaction": debug_traces.trace_transaction,
        "debug_traceCall": debug_traces.trace_call,
        "debug_traceBlockByNumber": debug_traces.trace_block,
        "debug_traceBlockByHash": debug_traces.trace_block,
        "trace_transaction": traces.transaction,
        "trace_get": traces.get,
        "trace_block": traces.block,
        "trace_filter": traces.find,
        "trace_replayTransaction": traces.replay_transaction,
        "trace_replayBlockTransactions": traces.replay_block,
        "trace_call": traces.call,
        # an explorer
        "erigon_getHeaderByNumber": blocks.get_header,
        "ots_getApiLevel": otterscan.api_level,
        "ots_hasCode": otterscan.has_code,
        "ots_getTransactionError": otterscan.transaction_error,
        "ots_traceTransaction": otterscan.trace_transaction,
        "ots_getInternalOperations": otterscan.internal_operations,
        "ots_getTransactionBySenderAndNonce": otterscan.transaction_hash_of,
        "ots_getContractCreator": otterscan.contract_creator,
        "ots_getBlockDetails": otterscan.block_details,
        "ots_getBlockDetailsByHash": otterscan.block_details,
        "ots_getBlockTransactions": otterscan.block_transactions,
        "ots_searchTransactionsBefore": otterscan.transactions_before,
        "ots_searchTransactionsAfter": otterscan.transactions_after,
        # encodings
        "debug_getRawHeader": encodings.get_raw_header,
        "debug_getRawBlock": encodings.get_raw_block,
        "debug_getRawReceipts": encodings.get_raw_receipts,
        "debug_getRawTransaction": encodings.get_raw_transaction,
        "debug_getBadBlocks": encodings.get_bad_blocks,
        # signing
        "eth_sign": signatures.sign,
        "personal_sign": signatures.personal_sign,
        "eth_signTypedData": signatures.sign_typed_data,
        "eth_signTypedData_v3": signatures.sign_typed_data,
        "eth_signTypedData_v4": signatures.sign_typed_data,
        # logs and filters
        "eth_getLogs": filters.get_logs,
        "eth_newFilter": filters.new_log_filter,
        "eth_newBlockFilter": filters.new_block_filter,
        "eth_newPendingTransactionFilter": filters.new_pending_filter,
        "eth_getFilterChanges": filters.get_changes,
        "eth_getFilterLogs": filters.get_filter_logs,
        "eth_uninstallFilter": filters.uninstall,
        "eth_subscribe": subscriptions.requires_websocket,
        "eth_unsubscribe": subscriptions.requires_websocket,
        # tests
        "evm_mine": mining.mine,
        "evm_mineDetailed": mining.mine_detailed,
        "evm_mine_detailed": mining.mine_detailed,
        "evm_setAutomine": mining.set_automine,
        "evm_setIntervalMining": mining.set_interval_mining,
        "evm_increaseTime": mining.increase_time,
        "evm_setNextBlockTimestamp": mining.set_next_timestamp,
        "evm_snapshot": mining.snapshot,
        "evm_setTime": mining.set_clock,
        "evm_setBlockGasLimit": account_state.set_gas_limit,
        "evm_setAccountBalance": account_state.set_balance,
        "evm_setAccountCode": account_state.set_code,
        "evm_setAccountNonce": account_state.set_nonce,
        "evm_setAccountStorageAt": account_state.set_storage_at,
        "evm_revert": mining.revert,
        "testing_timeTravel": mining.time_travel,
        "debug_setHead": mining.set_head,
        "eth_sendUnsignedTransaction": transactions.send_unsigned,
        "txpool_status": txpool.status,
        "txpool_content": txpool.content,
        "txpool_contentFrom": txpool.content_from,
        "txpool_inspect": txpool.inspect,
        "eth_pendingTransactions": txpool.transactions,
        **{f"{tool}_{name}": run for tool in ("anvil", "hardhat") for name, run in _BOTH.items()},
        "rpc.discover": discovery.discover,
        # only on this chain
        "chain_contracts": contracts.contracts,
        "chain_programs": contracts.programs,
        "chain_reload": package.reload,
        "chain_accounts": contracts.accounts,
        "chain_account": contracts.account,
        "chain_receipts": receipts.receipts,
        "chain_receipt": receipts.receipt,
        "chain_events": receipts.events,
        "chain_subscribe": subscriptions.requires_websocket,
        "chain_unsubscribe": subscriptions.requires_websocket,
        "chain_activity": receipts.activity,
        "chain_sql": sql.sql,
        "chain_worlds": storage.worlds,
        "chain_model": storage.model,
        "chain_models": storage.models,
        "chain_modelHistory": storage.model_history,
        "chain_fields": storage.fields,
        "chain_fieldHistory": storage.field_history,
        "chain_send": entry_calls.send,
        "chain_look": entry_calls.look,
        "chain_now": entry_calls.now,
        "chain_advance": entry_calls.advance,
        "chain_setTime": entry_calls.set_time,
        "chain_setExcessBlobGas": account_state.set_excess_blob_gas,
        "chain_mine": entry_calls.mine,
        "chain_load": entry_calls.force_random,
        "chain_unload": entry_calls.release_random,
        "chain_trace": debug_traces.trace,
        "chain_traceLook": debug_traces.trace_unsent_call,
        # for `Chain.connect`
        "chain_head": remote.head,
        "chain_rows": remote.rows,
        "chain_table": remote.table,
        "chain_transact": remote.transact,
    }
)

# Methods that a server calls instead, for the same answers as text.
AS_TEXT: Final[Mapping[str, Callable[..., object]]] = MappingProxyType(
    {
        "eth_call": calls.call_text,
        "eth_getLogs": filters.get_logs_text,
        "eth_getTransactionReceipt": transactions.get_transaction_receipt_text,
    }
)


def node_of(chain: Chain) -> Node:
    """Return a new node for a chain."""
    return Node(chain, METHODS)
