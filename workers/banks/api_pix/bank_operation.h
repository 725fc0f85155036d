#pragma once

#include <string_view>

namespace pixledger::workers {

// What is asked of a bank.
enum class BankOperation {
  kToken,
  kPutCob,
  kGetCob,
  kRemoveCob,
  kListPix,
  kGetPix,
  kPutRefund,
  kGetRefund,
  kPutCallback,
  kGetCallback,
  kDeleteCallback,
};

// The name in metrics and messages: "put_cob".
constexpr std::string_view to_string(BankOperation operation) {
  switch (operation) {
    case BankOperation::kToken:
      return "token";
    case BankOperation::kPutCob:
      return "put_cob";
    case BankOperation::kGetCob:
      return "get_cob";
    case BankOperation::kRemoveCob:
      return "remove_cob";
    case BankOperation::kListPix:
      return "list_pix";
    case BankOperation::kGetPix:
      return "get_pix";
    case BankOperation::kPutRefund:
      return "put_refund";
    case BankOperation::kGetRefund:
      return "get_refund";
    case BankOperation::kPutCallback:
      return "put_callback";
    case BankOperation::kGetCallback:
      return "get_callback";
    case BankOperation::kDeleteCallback:
      return "delete_callback";
  }
  return "";
}

// Whether the bank may have done something of which we have not heard when no answer comes.
constexpr bool changes_something(BankOperation operation) {
  switch (operation) {
    case BankOperation::kToken:
    case BankOperation::kGetCob:
    case BankOperation::kListPix:
    case BankOperation::kGetPix:
    case BankOperation::kGetRefund:
    case BankOperation::kGetCallback:
      return false;
    case BankOperation::kPutCob:
    case BankOperation::kRemoveCob:
    case BankOperation::kPutRefund:
    case BankOperation::kPutCallback:
    case BankOperation::kDeleteCallback:
      return true;
  }
  return true;
}

// Whether somebody may have paid what is asked about, so that the bank knows their name.
constexpr bool is_about_a_payer(BankOperation operation) {
  switch (operation) {
    case BankOperation::kGetCob:
    case BankOperation::kRemoveCob:
    case BankOperation::kListPix:
    case BankOperation::kGetPix:
    case BankOperation::kPutRefund:
    case BankOperation::kGetRefund:
      return true;
    case BankOperation::kToken:
    case BankOperation::kPutCob:
    case BankOperation::kPutCallback:
    case BankOperation::kGetCallback:
    case BankOperation::kDeleteCallback:
      return false;
  }
  return true;
}

}  // namespace pixledger::workers
