#!/usr/bin/env bash
# What TLS costs, beside the same without it and beside nginx with the same certificate, in turn: calls of a worker's
# plugin on kept connections, and handshakes. The servers share the first processor, and the load, which does its own half
# of TLS, has the second. The load is wrk, because it speaks TLS; it sends one request again and again. Needs nginx and openssl, too, and `cmake --build --preset release --target
# mcp-plugin-host bench_echo`.
#   bench/tls.sh [ROUNDS] [SECONDS]
set -euo pipefail
cd "$(dirname "$0")/.."
for tool in wrk nginx openssl; do
  command -v "$tool" >/dev/null || { echo "This needs $tool; on Debian and Ubuntu it is a package" >&2; exit 2; }
done
rounds=${1:-5} seconds=${2:-3} build=build/release
folder=$(mktemp -d)
running=()
trap 'kill "${running[@]}" 2>/dev/null || true; wait; rm -rf "$folder"' EXIT
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost \
  -keyout "$folder/server.key" -out "$folder/server.pem" 2>/dev/null
printf '[http]\nlisten = "127.0.0.1:18080"\n' >"$folder/plain.toml"
printf '[http]\nlisten = "127.0.0.1:18443"\n[tls]\ncertificate = "server.pem"\nkey = "server.key"\n' >"$folder/tls.toml"
cat >"$folder/nginx.conf" <<NGINX
daemon off; worker_processes 1; pid $folder/pid; error_log stderr;
events {}
http {
  access_log off;
  server {
    listen 127.0.0.1:18444 ssl;
    ssl_certificate $folder/server.pem; ssl_certificate_key $folder/server.key; ssl_protocols TLSv1.2 TLSv1.3;
    location / { return 200 "hello"; }
  }
}
NGINX
cat >"$folder/call.lua" <<'LUA'
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["Accept"] = "application/json, text/event-stream"
wrk.headers["MCP-Protocol-Version"] = "2026-07-28"
wrk.headers["Mcp-Method"] = "tools/call"
wrk.headers["Mcp-Name"] = "echo"
wrk.body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hello"},"_meta":{' ..
  '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
LUA
for kind in plain tls; do
  taskset -c 0 "$build/bin/mcp-plugin-host" serve --config "$folder/$kind.toml" --components "$build/bench/components" \
    --data "$folder/$kind" --log-level warning --control none &
  running+=($!)
done
taskset -c 0 nginx -p "$folder" -c "$folder/nginx.conf" 2>"$folder/nginx.log" &
running+=($!)
for port in 18080 18443 18444; do
  for ((tries = 0; ; ++tries)); do
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
    ((tries < 100)) || { echo "nothing listens at port $port" >&2; cat "$folder/nginx.log" >&2; exit 1; }
    sleep 0.1
  done
done
# Otherwise another program is at one of these ports.
for each in "${running[@]}"; do
  kill -0 "$each" || { echo "a server has ended; are the ports 18080, 18443 and 18444 free?" >&2; exit 1; }
done

rate() { awk '/Non-2xx/ { print "some failed: " $0 >"/dev/stderr"; exit 1 } /^Requests\/sec/ { print $2 }'; }
calls() { taskset -c 1 wrk -t1 -c16 -d"$seconds" -s "$folder/call.lua" "$1" | rate; }
handshakes() { taskset -c 1 wrk -t1 -c16 -d"$seconds" -H 'Connection: close' "$1" | awk '/^Requests\/sec/ { print $2 }'; }
for ((round = 0; round < rounds; ++round)); do
  plain=$(calls http://127.0.0.1:18080/mcp)
  by_tls=$(calls https://127.0.0.1:18443/mcp)
  of_host=$(handshakes https://127.0.0.1:18443/mcp)
  of_nginx=$(handshakes https://127.0.0.1:18444/)
  echo "$plain $by_tls $of_host $of_nginx"
done | tee "$folder/rounds" | awk 'BEGIN { print "calls/s plain, by TLS; handshakes/s of the host, of nginx" } { print }'
median() { awk "{ print $1 }" "$folder/rounds" | sort -n | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }'; }
printf 'by TLS / plain: %.2f   handshakes / those of nginx: %.2f   (medians)\n' "$(median '$2 / $1')" "$(median '$3 / $4')"
