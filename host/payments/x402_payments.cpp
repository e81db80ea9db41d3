#include "payments/x402_payments.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/base64.hpp"
#include "base/hexadecimal.hpp"
#include "base/json_text.hpp"
#include "base/sha256.hpp"
#include "payments/solana_message.hpp"

namespace mcph {
namespace {

using std::chrono::seconds;

constexpr std::chrono::milliseconds verify_patience{10'000};
constexpr std::size_t max_answer = std::size_t{64} << 10;
constexpr std::size_t max_payment = std::size_t{64} << 10;
constexpr int version = 2;
// Where no other reason is known (section 9).
constexpr auto no_reason = "unexpected_settle_error";
constexpr std::string_view decimal_digits = "0123456789";
// For so long a transaction of Solana that has been taken may be taken once more, for no money (x402,
// scheme_exact_svm.md, "Duplicate Settlement Mitigation").
constexpr seconds min_kept_time{120};

// Which of the ways to pay the client has chosen; null: none of them.
Json way_chosen(const Price& price, const Json& accepted) {
  for (auto& way : read_json(price.accepts)) {
    const auto is_same = [&](const char* member) {
      const auto found = accepted.find(member);
      return found != accepted.end() && *found == way.at(member);
    };
    if (is_same("scheme") && is_same("network") && is_same("amount") && is_same("asset") && is_same("payTo"))
      return std::move(way);
  }
  return nullptr;
}

// What is wrong with a PaymentPayload; empty: nothing.
std::string mistake_in(const Json& payment) {
  const auto has_object = [&payment](const char* name) {
    const auto found = payment.find(name);
    return found != payment.end() && found->is_object();
  };
  if (!payment.is_object()) return "it must be an object";
  if (payment.value("x402Version", Json()) != version) return "its x402Version must be 2";
  if (!has_object("accepted") || !has_object("payload")) return "it needs the objects accepted and payload";
  return dump(payment).size() > max_payment ? "it is too long" : "";
}

std::string text_in(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// What a payer on a network of Ethereum has signed (EIP-3009, or for Permit2); null: nothing, or one cannot tell what.
const Json* authorization_in(const Json& payload) {
  const auto transfer = payload.find("authorization");
  const auto permit = payload.find("permit2Authorization");
  if ((transfer == payload.end()) == (permit == payload.end())) return nullptr;
  const auto& found = transfer != payload.end() ? *transfer : *permit;
  return found.is_object() ? &found : nullptr;
}

// A number that is written with these digits, without leading zeros, so that it has one form; empty: it is none.
std::string digits_in(std::string_view text, std::string_view digits) {
  if (text.empty() || text.find_first_not_of(digits) != std::string_view::npos) return {};
  text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
  return std::string(text);
}

std::string hexadecimal_in(std::string text) {
  text = lower_case(std::move(text));
  return text.starts_with("0x") ? digits_in(std::string_view(text).substr(2), hexadecimal_digits) : std::string();
}

// What is the same for all ways to write the payment, because its network takes it once: of Ethereum's the payer with
// the nonce, of Solana's what is signed. Null: there is none.
Json identity_of(const Json& payload, const Json& way) {
  if (text_in(way, "network").starts_with("solana:")) {
    const auto transaction = base64_decode(text_in(payload, "transaction"));
    const auto message = transaction ? solana_message_in(*transaction) : std::string_view();
    return message.empty() ? Json() : Json(base64_encode(message));
  }
  const auto* const authorization = authorization_in(payload);
  if (authorization == nullptr) return {};
  const auto payer = hexadecimal_in(text_in(*authorization, "from"));
  const auto nonce = text_in(*authorization, "nonce");
  const bool is_transfer = payload.contains("authorization");
  const auto number = is_transfer ? hexadecimal_in(nonce) : digits_in(nonce, decimal_digits);
  return payer.empty() || number.empty() ? Json() : Json{is_transfer, payer, number};
}

// Empty: nobody could tell whether it is used twice.
std::string key_of(const Json& payment, const Json& way) {
  const auto identity = identity_of(payment.at("payload"), way);
  if (identity.is_null()) return {};
  return sha256(dump(Json{way.at("network"), lower_case(way.at("asset").get<std::string>()), identity}));
}

}  // namespace

class X402Payments::Reserved final : public Payment {
 public:
  // `until` is when the payment ceases to be valid.
  Reserved(X402Payments& payments, std::shared_ptr<const Price> price, std::string tool, Json way, std::string key,
           UsedPayments::Time until)
      : payments_(payments),
        used_(payments.used_),
        price_(std::move(price)),
        tool_(std::move(tool)),
        way_(std::move(way)),
        key_(std::move(key)),
        until_(until) {}
  ~Reserved() override { give_up(); }
  Reserved(const Reserved&) = delete;
  Reserved& operator=(const Reserved&) = delete;

  // It is good for another call, unless it has been settled.
  void give_up() {
    if (!std::exchange(settled_, true)) used_->give_back(key_);
  }

  // What the facilitator is asked, both times.
  std::string request(Json payment) {
    return request_ = dump(
               Json{{"x402Version", version}, {"paymentPayload", std::move(payment)}, {"paymentRequirements", way_}});
  }

  void settle(std::function<void(Settlement)> done) override {
    settled_ = true;
    payments_.ask(payments_.settling_, *price_, "/settle", request_, patience(),
                  [this, done = std::move(done)](const Result<Json>& answer) { done(settlement(answer)); });
  }

 private:
  seconds patience() const { return seconds(way_.at("maxTimeoutSeconds").get<std::int64_t>()); }

  Settlement settlement(const Result<Json>& answer) {
    if (answer.has_error() && answer.error().code == ErrorCode::crowded) return not_asked(answer.error());
    used_->keep(key_, std::max(until_, payments_.now_() + std::max(patience(), min_kept_time)));
    const auto success = answer.has_value() ? answer->value("success", Json()) : Json();
    if (success == true) return taken(*answer);
    if (success == false) return not_taken(*answer);
    return unknown(answer.has_error() ? answer.error().message : "it answered without success");
  }

  // Nobody has been asked for the money.
  Settlement not_asked(const Error& error) {
    used_->give_back(key_);  // before its client can use it again
    payments_.log_.warning("payment not settled", {{"tool", tool_}, {"reason", error.message}});
    return {failed(no_reason),
            "too many others ask the facilitator now, and it was not asked. Nothing was charged; try again later with "
            "the same payment"};
  }

  Settlement taken(const Json& answer) {
    payments_.money_log_.info("payment settled", {{"tool", tool_},
                                                  {"amount", text_in(way_, "amount")},
                                                  {"asset", text_in(way_, "asset")},
                                                  {"network", text_in(way_, "network")},
                                                  {"payer", text_in(answer, "payer")},
                                                  {"transaction", text_in(answer, "transaction")}});
    return {answer, {}};
  }

  Settlement not_taken(const Json& answer) {
    auto reason = text_in(answer, "errorReason");
    if (reason.empty()) reason = no_reason;
    payments_.log_.warning("payment not settled", {{"tool", tool_}, {"reason", reason}});
    return {failed(reason), reason};
  }

  // The money may have been taken.
  Settlement unknown(const std::string& why) {
    payments_.money_log_.error("payment not known to be settled",
                               {{"tool", tool_},
                                {"facilitator", price_->facilitator},
                                {"reason", why},
                                {"next", "the client had no result; see at the facilitator whether it has paid"}});
    return {failed(no_reason), "the facilitator gave no clear answer, and may have taken it"};
  }

  Json failed(std::string_view reason) const {
    return {{"success", false}, {"errorReason", reason}, {"transaction", ""}, {"network", way_.at("network")}};
  }

  X402Payments& payments_;
  const std::shared_ptr<UsedPayments> used_;
  const std::shared_ptr<const Price> price_;
  const std::string tool_;
  const Json way_;
  const std::string key_;
  const UsedPayments::Time until_;
  std::string request_;
  bool settled_ = false;  // or given up
};

UsedPayments::Time X402Payments::end_of(const Json& payload) const {
  constexpr std::uint64_t far = 10ULL * 365 * 24 * 3600;
  const auto now = now_();
  const auto* const authorization = authorization_in(payload);
  if (authorization == nullptr) return now;
  // The one that is signed.
  const auto* const name = payload.contains("authorization") ? "validBefore" : "deadline";
  const auto text = digits_in(text_in(*authorization, name), decimal_digits);
  std::uint64_t valid_before = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), valid_before);
  if (error != std::errc()) return now + seconds(far);  // others may read it
  const auto unix_now = static_cast<std::uint64_t>(std::chrono::duration_cast<seconds>(now.time_since_epoch()).count());
  return UsedPayments::Time(seconds(std::min(valid_before, unix_now + far)));
}

void X402Payments::verify(std::shared_ptr<const Price> price, std::string tool, Json payment,
                          std::function<void(Verified)> done) {
  if (const auto mistake = mistake_in(payment); !mistake.empty())
    return done(PaymentRefusal{"The payment is invalid: " + mistake});
  auto way = way_chosen(*price, payment.at("accepted"));
  if (way.is_null())
    return done(PaymentRefusal{"The payment is invalid: what it says to have accepted is none of the ways to pay"});
  auto key = key_of(payment, way);
  if (key.empty())
    return done(PaymentRefusal{
        "The payment is invalid: its payload has nothing by which this network tells one payment from another"});
  const auto until = end_of(payment.at("payload"));
  if (!used_->take(key, now_()))
    return done(PaymentRefusal{"The payment is invalid: it has been used already, or is in use by another call"});
  auto reserved = std::make_shared<Reserved>(*this, price, std::move(tool), std::move(way), std::move(key), until);
  auto request = reserved->request(std::move(payment));
  ask(verifying_, *price, "/verify", std::move(request), verify_patience,
      [this, reserved = std::move(reserved), price, done = std::move(done)](const Result<Json>& answer) mutable {
        const auto is_valid = answer.has_value() ? answer->value("isValid", Json()) : Json();
        if (is_valid == true) return done(std::shared_ptr<Payment>(std::move(reserved)));
        reserved->give_up();  // before its client can use it again
        if (is_valid == false) {
          const auto reason = text_in(*answer, "invalidReason");
          return done(
              PaymentRefusal{"The payment is invalid: " + (reason.empty() ? "the facilitator refuses it" : reason)});
        }
        log_.error("payment not checked",
                   {{"facilitator", price->facilitator},
                    {"reason", answer.has_error() ? answer.error().message : "it answered without isValid"},
                    {"next", "until the facilitator answers, tools that cost cannot be called"}});
        done(
            PaymentRefusal{"The payment could not be checked, because the facilitator does not answer. Nothing was "
                           "charged, and the tool was not called; try again later with the same payment",
                           false});
      });
}

void X402Payments::ask(HttpCaller& caller, const Price& price, const char* path, std::string body,
                       std::chrono::milliseconds patience, std::function<void(Result<Json>)> done) {
  auto url = read_http_url(price.facilitator + path);
  if (url.has_error()) return done(url.error());
  caller.send({.url = *std::move(url),
               .fields = {{"Content-Type", "application/json"}, {"Accept", "application/json"}},
               .body = std::move(body),
               .max_answer = max_answer,
               .patience = patience},
              [done = std::move(done)](const Result<HttpAnswer>& answer) {
                if (answer.has_error()) return done(answer.error());
                // Some say with 400 what is wrong with a payment.
                auto json = parse_json(answer->body);
                if (json.has_error() || !json->is_object())
                  return done(fail("it answered with the status " + std::to_string(answer->status) +
                                   ", and with no JSON object"));
                done(*std::move(json));
              });
}

}  // namespace mcph
