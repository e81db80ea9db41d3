// What each command does. Each returns the status with which the program exits: 0 for success, 1 where the command was
// understood and its outcome is bad, 2 where it could not be carried out.
#pragma once

#include "cli/options.hpp"

namespace mcph {

int run(const ServeCommand& command);
int run(const DevCommand& command);
int run(const StdioCommand& command);
int run(const InspectCommand& command);
int run(const ListCommand& command);
int run(const CheckCommand& command);
int run(const CallCommand& command);
int run(const NewCommand& command);
int run(const ConfigCommand& command);
int run(const TokenCommand& command);
int run(const ExplainCommand& command);
int run(const AuditCommand& command);
int run(const StatusCommand& command);
int run(const TraceCommand& command);
int run(const LogCommand& command);
int run(const OperateCommand& command);
int run(const DashboardCommand& command);
int run(const SymbolizeCommand& command);
int run(const UpstreamsCommand& command);
int run(const CompletionCommand& command);
int run(const CompleteWordsCommand& command);
int run(const ManualCommand& command);
inline int run(const Exit& command) {
  return command.status;
}

}  // namespace mcph
