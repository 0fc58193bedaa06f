"""What the SystemVerilog that proofs accept is written with: kinds of slang's syntax nodes, each with its rule and why.

What is in no rule is refused by its name, file and line. `docs/subset.md` shows these rules; a test holds it to them.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """A group of kinds of slang's `SyntaxKind`: what may be written with them, and why no more."""

    what: str
    rule: str
    why: str
    kinds: tuple[str, ...]


def _kinds(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ACCEPTED = (
    Rule(
        "Files",
        "modules, packages, imports of packages, and types. Directives: `default_nettype`, `timescale` and "
        "`resetall`. Comments have no pragmas, and no character is invisible",
        "what a tool sees must not depend on its macros, or on the files that it reads together. So there is no "
        "macro, conditional or include, and nothing with a value outside modules",
        _kinds(
            "CompilationUnit ModuleDeclaration ModuleHeader PackageDeclaration PackageHeader PackageImportDeclaration"
            " PackageImportItem NamedBlockClause EmptyMember"
        ),
    ),
    Rule(
        "Attributes",
        "`keep` and `keep_hierarchy`",
        "others change how tools treat the text",
        _kinds("AttributeInstance AttributeSpec"),
    ),
    Rule(
        "Ports and parameters",
        "inputs and outputs, in either style; parameters with values",
        "an `inout` may be driven from both sides; some tools ignore a default of a port",
        _kinds(
            "AnsiPortList ImplicitAnsiPort VariablePortHeader NetPortHeader NonAnsiPortList ImplicitNonAnsiPort "
            "PortReference PortDeclaration ParameterPortList ParameterDeclaration ParameterDeclarationStatement"
        ),
    ),
    Rule(
        "Types",
        "levels, vectors and arrays of fixed size, enumerations, packed structs, and the numbers `int` and `integer`",
        "strings, reals, times, classes, queues and unions have no levels, or levels that depend on the tool",
        _kinds(
            "LogicType RegType BitType ByteType IntType IntegerType ImplicitType NamedType EnumType StructType "
            "StructUnionMember TypedefDeclaration VariableDimension RangeDimensionSpecifier"
        ),
    ),
    Rule(
        "Declarations",
        "nets of the kind `wire` or `uwire`, and variables without an initial value. Every name is declared once, "
        "before its use, in the same block or one around it. No later declaration may change its meaning",
        "hardware starts without a value. Some tools look a name up in the whole block, others only in the text "
        "before. An undeclared name becomes a net in some, and only some find a name in another module",
        _kinds(
            "DataDeclaration NetDeclaration Declarator EqualsValueClause GenvarDeclaration IdentifierName "
            "IdentifierSelectName ScopedName"
        ),
    ),
    Rule(
        "Generated hardware",
        "`if`, `case` and `for` on constants; checks of parameters by `$error`, `$warning`, `$info`, `$fatal`",
        "they are decided once, at elaboration",
        _kinds("GenerateRegion GenerateBlock IfGenerate LoopGenerate CaseGenerate ElabSystemTask"),
    ),
    Rule(
        "Instances",
        "of modules, with ports by name or by place, and of Verilog's gates; no arrays of instances, and no `.*`",
        "`.*` connects whatever has the name, even if it is declared later; tools divide a vector among an array "
        "of instances differently",
        _kinds(
            "HierarchyInstantiation HierarchicalInstance InstanceName PrimitiveInstantiation ParameterValueAssignment"
            " NamedParamAssignment OrderedParamAssignment NamedPortConnection OrderedPortConnection "
            "EmptyPortConnection SimplePropertyExpr SimpleSequenceExpr"
        ),
    ),
    Rule(
        "Continuous assignments",
        "without delay and strength",
        "hardware has no such delay, and no front end keeps strengths",
        _kinds("ContinuousAssign AssignmentExpression"),
    ),
    Rule(
        "Combinational processes",
        "`always_comb`, `always @*`, or a list of exactly the signals that are read; `=` only. The process reads "
        "something that may change. It reads what it assigns only after the assignment, on every path",
        "a simulator runs such a process when its inputs change, and not when its own outputs do. A process that "
        "reads nothing may never run. A read before the assignment gives the level of the last run, and in "
        "synthesis that of this one. A `<=` is delayed, which on a clock path makes another clock",
        _kinds(
            "AlwaysCombBlock AlwaysBlock TimingControlStatement ImplicitEventControl EventControlWithExpression "
            "ParenthesizedEventExpression SignalEventExpression BinaryEventExpression EventControl"
        ),
    ),
    Rule(
        "Clocked processes",
        "`always_ff` or `always` with edges of a clock and of a reset; `<=` only. Exceptions are loop counters, "
        "and variables of the process's own block that are assigned before they are read",
        "others may read what a clocked process assigns by `=` at the same moment. The simulator then chooses "
        "which level they see; synthesis gives them the old one",
        _kinds("AlwaysFFBlock NonblockingAssignmentExpression"),
    ),
    Rule(
        "Clocks and resets",
        "ports, plain wires of them, their inverses, and a clock gate: `always_latch if (!clk) held = enable;` and "
        "`assign gated = clk & held;` with the same `clk`, in one module",
        "a clock through a process may be late by a step of the simulator. A latch and an AND with different "
        "copies of it may make a spike. Registers then see the wrong side of an edge",
        _kinds("AlwaysLatchBlock"),
    ),
    Rule(
        "Statements",
        "blocks, `if`, `case`, `casez`, and variables of a block. Loops have a fixed count, and nothing else "
        "changes their counters. `unique` and `priority` only with `case`: if no arm applies, or two do, the proof "
        "assumes any level",
        "`unique` and `priority` are promises: simulators follow the order of the arms, synthesis may trust the "
        "promise. For a `case` the proof covers both; for an `if` it follows the order only",
        _kinds(
            "SequentialBlockStatement ExpressionStatement EmptyStatement ConditionalStatement ConditionalPredicate "
            "ConditionalPattern ElseClause CaseStatement StandardCaseItem DefaultCaseItem ForLoopStatement "
            "ForVariableDeclaration ForeachLoopStatement ForeachLoopList AddAssignmentExpression "
            "SubtractAssignmentExpression AndAssignmentExpression OrAssignmentExpression XorAssignmentExpression "
            "PostincrementExpression PostdecrementExpression UnaryPreincrementExpression "
            "UnaryPredecrementExpression"
        ),
    ),
    Rule(
        "Functions",
        "`automatic`, with inputs only. They read their arguments, their own variables and constants. Each "
        "variable is assigned before it is read, and the result on every path. They are declared before their "
        "call, and do not call themselves",
        "a simulator does not call a function again when something other than an argument changes. Variables of a "
        "function that is not automatic keep their levels between calls",
        _kinds(
            "FunctionDeclaration FunctionPrototype FunctionPortList FunctionPort ReturnStatement "
            "InvocationExpression ArgumentList OrderedArgument"
        ),
    ),
    Rule(
        "Numbers",
        "with a size that holds all digits; without one, decimal numbers below 2^31 and '0, '1. Strings are only "
        "in messages. No unsized number is in a place where its width matters. That is a concatenation, or a sum, "
        "difference, product or left shift with signals, if the result is compared, divided, shifted right, or an "
        "index",
        "Icarus makes an unsized number as wide as necessary, others 32 bits. Digits that do not fit are cut or "
        "kept. Escapes in strings depend on the tool",
        _kinds(
            "IntegerLiteralExpression IntegerVectorExpression UnbasedUnsizedLiteralExpression StringLiteralExpression"
        ),
    ),
    Rule(
        "Expressions",
        "operators of levels and numbers, conditionals, part selects, concatenations, casts, patterns of structs, "
        "`inside`. No expression contains an assignment. No slice of several words of an array is in a "
        "concatenation or at a port. System functions: `$clog2`, `$bits`, `$size`, `$high`, `$low`, `$left`, "
        "`$right`, `$signed`, `$unsigned`, `$countones`, `$onehot`, `$onehot0`",
        "`===` and `==?` compare x, which no gate does. Tools disagree on what an assignment within an expression "
        "does, and when. Icarus 11 takes only as many bits of such a slice as it has words",
        _kinds(
            "ParenthesizedExpression ConditionalExpression ConcatenationExpression MultipleConcatenationExpression "
            "CastExpression SignedCastExpression ElementSelect ElementSelectExpression BitSelect SimpleRangeSelect "
            "AscendingRangeSelect DescendingRangeSelect MemberAccessExpression SystemName InsideExpression RangeList "
            "ValueRangeExpression AssignmentPatternExpression StructuredAssignmentPattern AssignmentPatternItem "
            "SimpleAssignmentPattern ReplicatedAssignmentPattern DefaultPatternKeyExpression "
            "AddExpression SubtractExpression MultiplyExpression DivideExpression ModExpression PowerExpression "
            "EqualityExpression InequalityExpression GreaterThanEqualExpression GreaterThanExpression "
            "LessThanEqualExpression LessThanExpression LogicalAndExpression LogicalOrExpression "
            "BinaryAndExpression BinaryOrExpression BinaryXorExpression BinaryXnorExpression "
            "LogicalShiftLeftExpression LogicalShiftRightExpression ArithmeticShiftLeftExpression "
            "ArithmeticShiftRightExpression UnaryPlusExpression UnaryMinusExpression UnaryLogicalNotExpression "
            "UnaryBitwiseNotExpression UnaryBitwiseAndExpression UnaryBitwiseNandExpression "
            "UnaryBitwiseOrExpression UnaryBitwiseNorExpression UnaryBitwiseXorExpression "
            "UnaryBitwiseXnorExpression"
        ),
    ),
)

ACCEPTED_KINDS = frozenset(kind for rule in ACCEPTED for kind in rule.kinds)

NETLIST_KINDS = frozenset(
    _kinds(
        "CompilationUnit ModuleDeclaration ModuleHeader AnsiPortList ImplicitAnsiPort VariablePortHeader "
        "NetPortHeader NonAnsiPortList ImplicitNonAnsiPort PortReference PortDeclaration LogicType ImplicitType "
        "VariableDimension RangeDimensionSpecifier DataDeclaration NetDeclaration Declarator EqualsValueClause "
        "IdentifierName IdentifierSelectName ElementSelect BitSelect SimpleRangeSelect HierarchyInstantiation "
        "HierarchicalInstance InstanceName NamedPortConnection OrderedPortConnection EmptyPortConnection "
        "ParameterValueAssignment NamedParamAssignment SimplePropertyExpr SimpleSequenceExpr ContinuousAssign "
        "AssignmentExpression ConcatenationExpression MultipleConcatenationExpression IntegerLiteralExpression "
        "IntegerVectorExpression ParenthesizedExpression UnaryBitwiseNotExpression NamedBlockClause EmptyMember"
    )
)
"""What netlists that tools write consist of: instances and wires."""

_TASKS = "hardware begins with no value, and has no such step"
_X = "x is compared, which no gate does"
_ELSEWHERE = "it changes what other modules are"
_BESIDE = "it is outside the logic"

REFUSED = {
    "InitialBlock": _TASKS,
    "FinalBlock": _TASKS,
    "ProceduralForceStatement": _TASKS,
    "ProceduralReleaseStatement": _TASKS,
    "ProceduralAssignStatement": _TASKS,
    "ProceduralDeassignStatement": _TASKS,
    "WaitStatement": _TASKS,
    "WaitForkStatement": _TASKS,
    "ParallelBlockStatement": _TASKS,
    "BlockingEventTriggerStatement": _TASKS,
    "NonblockingEventTriggerStatement": _TASKS,
    "EventType": _TASKS,
    "DisableStatement": "a simulator's order decides what it ends",
    "DisableForkStatement": _TASKS,
    "ProgramDeclaration": _TASKS,
    "TaskDeclaration": "what a task assigns is assigned at once, and others may read it; hardware is written "
    "with functions, which are automatic",
    "DelayControl": "a delay",
    "Delay3": "a delay",
    "OneStepDelay": "a delay",
    "CycleDelay": "a delay",
    "TimingControlExpression": "a delay",
    "TimeLiteralExpression": "how a time is rounded is for a timescale to say",
    "TimeUnitsDeclaration": "how a time is rounded is for a timescale to say",
    "CaseEqualityExpression": _X,
    "CaseInequalityExpression": _X,
    "WildcardEqualityExpression": _X,
    "WildcardInequalityExpression": _X,
    "BindDirective": _ELSEWHERE,
    "DefParam": _ELSEWHERE,
    "ConfigDeclaration": _ELSEWHERE,
    "LibraryDeclaration": _ELSEWHERE,
    "SpecifyBlock": _BESIDE,
    "SpecparamDeclaration": _BESIDE,
    "UdpDeclaration": _BESIDE + ": a primitive of a table",
    "CheckerDeclaration": _BESIDE,
    "NetAlias": "two drivers or none may meet on such a net",
    "DriveStrength": "it says how strongly a net is driven, which no front end keeps",
    "PullStrength": "it says how strongly a net is driven, which no front end keeps",
    "ChargeStrength": "it says how strongly a net is driven, which no front end keeps",
    "WildcardPortConnection": "it takes whatever has the name of a port, also what is declared later: write the ports",
    "IffEventClause": "an edge that counts only sometimes is a gated clock, which not all tools make",
    "RealLiteralExpression": "a real number is no level",
    "RealType": "a real number is no level",
    "StringType": "a string is no level",
    "DPIImport": "code in another language is no hardware",
    "DPIExport": "code in another language is no hardware",
    "LoopStatement": "how often it turns may depend on levels; write a for loop of a fixed count",
    "DoWhileStatement": "how often it turns may depend on levels; write a for loop of a fixed count",
    "ForeverStatement": "how often it turns may depend on levels; write a for loop of a fixed count",
    "JumpStatement": "how often a loop turns may depend on levels",
    "VoidCastedCallStatement": "the only effect of a function is its result",
    "UnionType": "members of a union share levels, which tools lay out each in their own way",
    "PortConcatenation": "a port is one signal",
    "ExplicitAnsiPort": "a port has the name of its signal",
    "ExplicitNonAnsiPort": "a port has the name of its signal",
}
"""Why some kinds that are not accepted are not; of others it is said that they are not among those that are."""

DEFAULT = "it is not part of the SystemVerilog that proofs accept (docs/subset.md), which all tools read alike"
