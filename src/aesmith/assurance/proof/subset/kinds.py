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
        "modules, packages, imports of packages, and types. Of directives, `default_nettype`, `timescale` and "
        "`resetall`; comments without pragmas; no character that is not seen",
        "what a tool sees must not depend on what it defines, or on the files that it reads together: so no macro, no "
        "conditional, no include, and nothing with a value beside modules",
        _kinds(
            "CompilationUnit ModuleDeclaration ModuleHeader PackageDeclaration PackageHeader PackageImportDeclaration"
            " PackageImportItem NamedBlockClause EmptyMember"
        ),
    ),
    Rule(
        "Attributes",
        "`keep` and `keep_hierarchy`",
        "others change what a tool makes of the text",
        _kinds("AttributeInstance AttributeSpec"),
    ),
    Rule(
        "Ports and parameters",
        "inputs and outputs, in either style; parameters with values",
        "an `inout` may be driven from both sides; a default of a port is not taken by all tools",
        _kinds(
            "AnsiPortList ImplicitAnsiPort VariablePortHeader NetPortHeader NonAnsiPortList ImplicitNonAnsiPort "
            "PortReference PortDeclaration ParameterPortList ParameterDeclaration ParameterDeclarationStatement"
        ),
    ),
    Rule(
        "Types",
        "levels, vectors and arrays of fixed size, enumerations, packed structs; of numbers `int` and `integer`",
        "strings, reals, times, classes, queues and unions are no levels, or their levels are each tool's own",
        _kinds(
            "LogicType RegType BitType ByteType IntType IntegerType ImplicitType NamedType EnumType StructType "
            "StructUnionMember TypedefDeclaration VariableDimension RangeDimensionSpecifier"
        ),
    ),
    Rule(
        "Declarations",
        "nets of the kind `wire` or `uwire`, variables without a first value; every name is declared before "
        "it is used, in the same block or one around it, once, and no later declaration may change what it means",
        "hardware begins with no value. Some tools look a name up in all of a block, others in what stands before; an "
        "undeclared one becomes a net in some, and a name in another module is found by some only",
        _kinds(
            "DataDeclaration NetDeclaration Declarator EqualsValueClause GenvarDeclaration IdentifierName "
            "IdentifierSelectName ScopedName"
        ),
    ),
    Rule(
        "Generated hardware",
        "`if`, `case` and `for` on constants; checks of parameters by `$error`, `$warning`, `$info`, `$fatal`",
        "they are decided once, before there is hardware",
        _kinds("GenerateRegion GenerateBlock IfGenerate LoopGenerate CaseGenerate ElabSystemTask"),
    ),
    Rule(
        "Instances",
        "of modules, with ports by name or by place, and of Verilog's gates; no arrays of instances, and no `.*`",
        "`.*` takes what has the name, also where it is declared later; how a vector is divided among an array of "
        "instances is not read alike",
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
        "`always_comb`, `always @*`, or a list of just the signals that are read; `=` only; something that may change "
        "is read; what the process assigns is read in it only where it was assigned before, on every path",
        "a simulator runs such a process when what it reads changes, and not when what it assigns itself does: one "
        "that reads nothing may never run, and what is read before it is assigned is the level of the last run, where "
        "synthesis has that of this one. A `<=` comes late, which a clock path makes another clock",
        _kinds(
            "AlwaysCombBlock AlwaysBlock TimingControlStatement ImplicitEventControl EventControlWithExpression "
            "ParenthesizedEventExpression SignalEventExpression BinaryEventExpression EventControl"
        ),
    ),
    Rule(
        "Clocked processes",
        "`always_ff` or `always` with edges of a clock and of a reset; `<=` only, but for counters of loops and for "
        "variables of the process's own block that are assigned before they are read",
        "what a clocked process assigns by `=`, others may read in the same moment: which level they see is for each "
        "simulator to choose, and synthesis gives them the old one",
        _kinds("AlwaysFFBlock NonblockingAssignmentExpression"),
    ),
    Rule(
        "Clocks and resets",
        "ports, plain wires of them, their inverses, and a clock gate: `always_latch if (!clk) held = enable;` and "
        "`assign gated = clk & held;` of the same `clk`, in one module",
        "a clock that passes a process, or a latch and an AND that see different copies of it, may come late by a step "
        "of the simulator or have a spike: registers then see the wrong side of an edge",
        _kinds("AlwaysLatchBlock"),
    ),
    Rule(
        "Statements",
        "blocks, `if`, `case`, `casez`, loops of a fixed count, whose counters nothing else moves; variables of a "
        "block; `unique` and `priority` of a `case` only: where no arm applies, or two do, the proof has any level",
        "`unique` and `priority` are promises: simulators go by the order of the arms, synthesis may believe the "
        "promise. Of a `case` the proof covers both; of an `if` it has but the order",
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
        "`automatic`, with inputs only, that read their arguments, their own variables and constants; each variable is "
        "assigned before it is read, the result on every path; declared before they are called, not by themselves",
        "a simulator does not call a function again when something else that it reads changes; variables of one that "
        "is not automatic keep their levels from call to call",
        _kinds(
            "FunctionDeclaration FunctionPrototype FunctionPortList FunctionPort ReturnStatement "
            "InvocationExpression ArgumentList OrderedArgument"
        ),
    ),
    Rule(
        "Numbers",
        "with a size that holds all digits; without one, decimal numbers below 2^31 and '0, '1; no unsized one where "
        "its width decides: in a concatenation, or in a sum, difference, product or shift to the left with signals "
        "whose result is compared, divided, shifted to the right, or an index; strings only in messages",
        "Icarus makes an unsized number as wide as it needs to be, others 32 bits; what does not fit into its size is "
        "cut or kept; escapes in strings are each tool's own",
        _kinds(
            "IntegerLiteralExpression IntegerVectorExpression UnbasedUnsizedLiteralExpression StringLiteralExpression"
        ),
    ),
    Rule(
        "Expressions",
        "operators of levels and numbers, choices, parts, concatenations, casts, patterns of structs, `inside`; no "
        "assignment within an expression; no choice of several words of an array within a concatenation or at a port; "
        "of system functions `$clog2`, `$bits`, `$size`, `$high`, `$low`, `$left`, `$right`, `$signed`, `$unsigned`, "
        "`$countones`, `$onehot`, `$onehot0`",
        "`===` and `==?` compare x, which no gate does; what an assignment within an expression does, and when, is not "
        "read alike; of such a choice, Icarus 11 takes as many bits as there are words",
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
_BESIDE = "it stands beside the logic"

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
    "VoidCastedCallStatement": "a function has no effect but its result",
    "UnionType": "members of a union share levels, which tools lay out each in their own way",
    "PortConcatenation": "a port is one signal",
    "ExplicitAnsiPort": "a port has the name of its signal",
    "ExplicitNonAnsiPort": "a port has the name of its signal",
}
"""Why some kinds that are not accepted are not; of others it is said that they are not among those that are."""

DEFAULT = "it is not part of the SystemVerilog that proofs accept (docs/subset.md), which all tools read alike"
