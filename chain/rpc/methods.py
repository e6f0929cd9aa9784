"""The table of JSON-RPC methods: what each is called, and the function that answers it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from chain.rpc import (
    about,
    accounts,
    blocks,
    controls,
    debug,
    dump,
    feeds,
    filters,
    following,
    pool,
    sending,
    simulate,
    steering,
)  # fmt: skip
from chain.rpc.own import contracts, control, package, receipts, sql, stored

# What anvil and hardhat call alike: `anvil_setBalance`, `hardhat_setBalance`.
_BOTH: Final[Mapping[str, Callable[..., Any]]] = {
    "setBalance": steering.set_balance,
    "addBalance": steering.add_balance,
    "setNonce": steering.set_nonce,
    "setCode": steering.set_code,
    "setStorageAt": steering.set_storage_at,
    "impersonateAccount": steering.impersonate,
    "stopImpersonatingAccount": steering.stop_impersonating,
    "autoImpersonateAccount": steering.impersonate_all,
    "setPrevRandao": steering.set_prevrandao,
    "setCoinbase": steering.set_coinbase,
    "setNextBlockBaseFeePerGas": steering.set_base_fee,
    "setChainId": steering.set_chain_id,
    "setLoggingEnabled": steering.set_logging,
    "setRpcUrl": steering.set_rpc_url,
    "setMinGasPrice": steering.set_min_gas_price,
    "mine": controls.mine_many,
    "setAutomine": controls.set_automine,
    "getAutomine": controls.get_automine,
    "setIntervalMining": controls.set_interval_mining,
    "getIntervalMining": controls.get_interval_mining,
    "increaseTime": controls.increase_time,
    "setTime": controls.set_clock,
    "setNextBlockTimestamp": controls.set_next_timestamp,
    "setBlockTimestampInterval": controls.set_block_interval,
    "removeBlockTimestampInterval": controls.remove_block_interval,
    "snapshot": controls.snapshot,
    "revert": controls.revert,
    "rollback": controls.rollback,
    "reset": controls.reset,
    "dropTransaction": pool.drop,
    "dropAllTransactions": pool.drop_all,
    "removePoolTransactions": pool.drop_sender,
    "dumpState": dump.dump_state,
    "loadState": dump.load_state,
    "nodeInfo": about.node_info,
    "metadata": about.metadata,
}

# What runs contracts, for as long as their gas lasts. Looks leave nothing behind.
LOOKS: Final[frozenset[Callable[..., Any]]] = frozenset(
    {
        sending.call, sending.estimate_gas, simulate.simulate, debug.create_access_list, debug.trace_transaction,
        debug.trace_call, debug.trace_block, debug.trace, debug.trace_look, control.look,
    }
)  # fmt: skip
# The others change the chain, and nothing else that the node keeps: by one transaction …
SENDS: Final[frozenset[Callable[..., Any]]] = frozenset(
    {
        sending.send_transaction, sending.send_raw_transaction, sending.send_unsigned, control.send, following.send,
    }
)  # fmt: skip
# … or by running those in the open block again.
RERUNS: Final[frozenset[Callable[..., Any]]] = frozenset(
    {
        controls.increase_time, controls.set_clock, controls.set_next_timestamp, controls.time_travel, control.advance,
        control.set_time, steering.set_prevrandao, steering.set_coinbase, steering.set_base_fee, pool.drop, pool.drop_all,
        pool.drop_sender,
    }
)  # fmt: skip

METHODS: Final[Mapping[str, Callable[..., Any]]] = MappingProxyType(
    {
        "web3_clientVersion": about.client_version,
        "web3_sha3": about.sha3,
        "net_version": about.network,
        "net_listening": about.yes,
        "net_peerCount": about.zero,
        "eth_chainId": about.chain_id,
        "eth_syncing": about.no,
        "eth_protocolVersion": about.protocol_version,
        "eth_mining": about.is_mining,
        "eth_hashrate": about.zero,
        "eth_coinbase": about.coinbase,
        # accounts
        "eth_accounts": accounts.accounts,
        "eth_getBalance": accounts.get_balance,
        "eth_getTransactionCount": accounts.get_transaction_count,
        "eth_getCode": accounts.get_code,
        "eth_getStorageAt": accounts.get_storage_at,
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
        "eth_getTransactionByHash": blocks.get_transaction,
        "eth_getTransactionByBlockNumberAndIndex": blocks.get_transaction_in,
        "eth_getTransactionByBlockHashAndIndex": blocks.get_transaction_in,
        "eth_getTransactionBySenderAndNonce": blocks.get_transaction_of,
        "eth_getRawTransactionByHash": blocks.get_raw_transaction,
        "eth_getRawTransactionByBlockNumberAndIndex": blocks.get_raw_transaction_in,
        "eth_getRawTransactionByBlockHashAndIndex": blocks.get_raw_transaction_in,
        "eth_getTransactionReceipt": blocks.get_transaction_receipt,
        # fees
        "eth_gasPrice": blocks.gas_price,
        "eth_maxPriorityFeePerGas": blocks.max_priority_fee,
        "eth_blobBaseFee": about.one,
        "eth_feeHistory": blocks.fee_history,
        # running
        "eth_call": sending.call,
        "eth_estimateGas": sending.estimate_gas,
        "eth_simulateV1": simulate.simulate,
        "eth_sendTransaction": sending.send_transaction,
        "eth_sendRawTransaction": sending.send_raw_transaction,
        "eth_signTransaction": sending.sign_transaction,
        "eth_createAccessList": debug.create_access_list,
        # traces
        "debug_traceTransaction": debug.trace_transaction,
        "debug_traceCall": debug.trace_call,
        "debug_traceBlockByNumber": debug.trace_block,
        "debug_traceBlockByHash": debug.trace_block,
        # signing
        "eth_sign": about.sign,
        "personal_sign": about.personal_sign,
        "eth_signTypedData": about.sign_typed_data,
        "eth_signTypedData_v4": about.sign_typed_data,
        # logs and filters
        "eth_getLogs": filters.get_logs,
        "eth_newFilter": filters.new_log_filter,
        "eth_newBlockFilter": filters.new_block_filter,
        "eth_newPendingTransactionFilter": filters.new_pending_filter,
        "eth_getFilterChanges": filters.get_changes,
        "eth_getFilterLogs": filters.get_filter_logs,
        "eth_uninstallFilter": filters.uninstall,
        "eth_subscribe": feeds.not_here,
        "eth_unsubscribe": feeds.not_here,
        # tests
        "evm_mine": controls.mine,
        "evm_mineDetailed": controls.mine_detailed,
        "evm_mine_detailed": controls.mine_detailed,
        "evm_setAutomine": controls.set_automine,
        "evm_setIntervalMining": controls.set_interval_mining,
        "evm_increaseTime": controls.increase_time,
        "evm_setNextBlockTimestamp": controls.set_next_timestamp,
        "evm_snapshot": controls.snapshot,
        "evm_setTime": controls.set_clock,
        "evm_setBlockGasLimit": steering.set_gas_limit,
        "evm_setAccountBalance": steering.set_balance,
        "evm_setAccountCode": steering.set_code,
        "evm_setAccountNonce": steering.set_nonce,
        "evm_setAccountStorageAt": steering.set_storage_at,
        "evm_revert": controls.revert,
        "testing_timeTravel": controls.time_travel,
        "eth_sendUnsignedTransaction": sending.send_unsigned,
        "txpool_status": pool.status,
        "txpool_content": pool.content,
        "txpool_contentFrom": pool.content_from,
        "txpool_inspect": pool.inspect,
        "eth_pendingTransactions": pool.transactions,
        **{f"{tool}_{name}": run for tool in ("anvil", "hardhat") for name, run in _BOTH.items()},
        # what only we have
        "chain_contracts": contracts.contracts,
        "chain_programs": contracts.programs,
        "chain_reload": package.reload,
        "chain_accounts": contracts.accounts,
        "chain_account": contracts.account,
        "chain_receipts": receipts.receipts,
        "chain_receipt": receipts.receipt,
        "chain_events": receipts.events,
        "chain_transcript": receipts.transcript,
        "chain_sql": sql.sql,
        "chain_worlds": stored.worlds,
        "chain_model": stored.model,
        "chain_models": stored.models,
        "chain_modelHistory": stored.model_history,
        "chain_fields": stored.fields,
        "chain_send": control.send,
        "chain_look": control.look,
        "chain_now": control.now,
        "chain_advance": control.advance,
        "chain_setTime": control.set_time,
        "chain_mine": control.mine,
        "chain_load": control.load,
        "chain_unload": control.unload,
        "chain_trace": debug.trace,
        "chain_traceLook": debug.trace_look,
        # used from afar
        "chain_rules": following.rules,
        "chain_follow": following.follow,
        "chain_sendFollowed": following.send,
    }
)
